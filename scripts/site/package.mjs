/**
 * Builds the npm package in build/package/ (not published from here):
 *   node scripts/site/package.mjs
 * The modules of web/ bundled into one file per entry, and beside them, where `new URL(…, import.meta.url)` finds them, the
 * worker, the wasm module and the weights; types from the JSDoc comments.
 *
 * @typedef {import('../../web/models/manifest.js').ManifestSource} ManifestSource
 * @typedef {ManifestSource['models'][number]} Model
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundle, copySource } from './bundle.mjs';
import { writeIntegrity } from './integrity.mjs';
import { librariesIn, licenceTexts } from './libraries.mjs';
import { billOfMaterials } from './sbom.mjs';
import { copyCore, copyLanguageTables } from './site.mjs';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const VERSION = '0.1.0';

/**
 * @param {string} [target] folder to write; emptied first
 * @returns {Promise<string>} the folder, ready for `npm pack`
 */
export async function buildPackage(target = join(root, 'build/package')) {
  const dist = join(target, 'dist');
  await rm(target, { recursive: true, force: true });
  await mkdir(dist, { recursive: true });
  /** @type {ManifestSource} */
  const manifest = JSON.parse(await readFile(join(root, 'weights/manifest.json'), 'utf8'));

  const isSource = (/** @type {string} */ path) => !/^web[\\/](examples|page)$/.test(relative(root, path));
  const source = await copySource(target, isSource);
  await copyLanguageTables(join(source, 'vendor/eld'));
  await writeFile(join(source, 'models/default-models.js'), defaultModels(manifest));
  await copyAssets(manifest, dist);
  await writeIntegrity(join(dist, 'core'), join(source, 'engine/integrity.js'));
  const libraries = await bundleAll(source, dist);
  await writeFile(join(dist, 'LICENSES.txt'), await licenceTexts(root, libraries));
  await emitTypes(source, join(dist, 'types'));
  await rm(source, { recursive: true });

  const description = packageJson();
  await writeJson(join(target, 'package.json'), description);
  await writeJson(join(dist, 'sbom.cdx.json'), await billOfMaterials(root, description, manifest, ['eld', ...libraries]));
  await cp(join(root, 'web/PACKAGE.md'), join(target, 'README.md'));
  return target;
}

/**
 * @param {string} path
 * @param {object} content
 */
const writeJson = (path, content) => writeFile(path, `${JSON.stringify(content, null, 2)}\n`);

/**
 * Every file by its own literal `new URL(…)`: that is what bundlers look for to take a file along.
 * @param {ManifestSource} manifest
 */
function defaultModels({ version, models }) {
  const file = (/** @type {Model['files'][number]} */ { name, path, bytes, sha256 }) => {
    // Vite would turn a file this small into a data: URL, which a strict Content-Security-Policy does not let one fetch.
    const url = `new URL('./weights/${path}${bytes < 4096 ? '?no-inline' : ''}', import.meta.url).href`;
    return `{ name: '${name}', path: ${url}, bytes: ${bytes}, sha256: '${sha256}' }`;
  };
  const model = (/** @type {Model} */ { sourceLanguage, targetLanguage, files }) =>
    `{ sourceLanguage: '${sourceLanguage}', targetLanguage: '${targetLanguage}', files: [${files.map(file).join(', ')}] }`;
  return `export const defaultModels = /** @type {any} */ ({ version: ${version}, models: [${models.map(model).join(', ')}] });\n`;
}

/**
 * @param {string} source
 * @param {string} dist
 * @returns {Promise<string[]>} the libraries of npm that are in it
 */
async function bundleAll(source, dist) {
  const common = { legalComments: /** @type {const} */ ('linked') };
  // Together, so that a page which uses both entries has one set of engines.
  const entries = ['dragoman.js', 'element.js', 'files.js', 'worker.js', 'worker-threads.js'];
  const metafile = await bundle(source, dist, entries, { ...common, chunkNames: 'chunk-[hash]' });
  // In one file: a service worker has none but those that it imports by name.
  await bundle(source, dist, ['same-thread.js'], {
    ...common,
    splitting: false,
    plugins: [twins(join(source, 'same-thread'), /\/worker-host\.js$/)],
  });
  const forNode = {
    node: 'dragoman.js',
    'node-worker': 'node/worker.js',
    'node-cli': 'node/cli.js',
    'node-cli-worker': 'node/cli-worker.js',
  };
  await bundle(source, dist, forNode, {
    ...common,
    platform: 'node',
    chunkNames: 'node-chunk-[hash]',
    plugins: [twins(join(source, 'node'), /\/(worker-host|resource)\.js$/)],
  });
  return librariesIn(metafile);
}

/**
 * Puts files of a folder in the place of those of the same name in web/base/ and web/engine/.
 * @param {string} folder
 * @param {RegExp} filter which
 * @returns {import('esbuild').Plugin}
 */
function twins(folder, filter) {
  return {
    name: 'twins',
    setup({ onResolve }) {
      onResolve({ filter }, ({ path }) => ({ path: join(folder, basename(path)) }));
      onResolve({ filter: /core\/dragoman-core\.mjs$/ }, () => ({ path: './core/dragoman-core.mjs', external: true }));
    },
  };
}

/**
 * @param {ManifestSource} manifest
 * @param {string} dist
 */
async function copyAssets(manifest, dist) {
  await copyCore(join(dist, 'core'));
  for (const { path } of [{ path: 'manifest.json' }, ...manifest.models.flatMap(({ files }) => files)]) {
    await cp(join(root, 'weights', path), join(dist, 'weights', path));
  }
  await cp(join(root, 'web/manifest.schema.json'), join(dist, 'manifest.schema.json'));
  await cp(join(root, 'node_modules/eld/LICENSE'), join(dist, 'ELD-LICENSE'));
}

/**
 * @param {string} source
 * @param {string} types
 */
async function emitTypes(source, types) {
  const arguments_ = [
    '--allowJs',
    '--declaration',
    '--emitDeclarationOnly',
    '--skipLibCheck',
    '--target',
    'esnext',
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
    '--lib',
    'esnext,dom,dom.iterable',
    '--types',
    '',
    '--strict',
    '--outDir',
    types,
  ];
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [
    tsc,
    ...arguments_,
    ...['dragoman.js', 'element.js', 'files.js', 'same-thread.js'].map((name) => join(source, name)),
  ]);
  // Types of the language tables are nobody's business.
  await rm(join(types, 'vendor'), { recursive: true, force: true });
}

function packageJson() {
  const types = './dist/types/dragoman.d.ts';
  return {
    name: 'dragoman',
    version: VERSION,
    description:
      "Translation in the browser, with the W3C Translator API; models included, nothing leaves the visitor's machine.",
    type: 'module',
    sideEffects: [
      './dist/element.js',
      './dist/worker.js',
      './dist/worker-threads.js',
      './dist/node-worker.js',
      './dist/node-cli-worker.js',
    ],
    bin: './dist/node-cli.js',
    main: './dist/node.js',
    browser: './dist/dragoman.js',
    types,
    exports: {
      '.': { types, node: './dist/node.js', default: './dist/dragoman.js' },
      './element': { types: './dist/types/element.d.ts', default: './dist/element.js' },
      './files': { types: './dist/types/files.d.ts', default: './dist/files.js' },
      './same-thread': { types: './dist/types/same-thread.d.ts', default: './dist/same-thread.js' },
      './manifest.schema.json': './dist/manifest.schema.json',
      './dist/*': './dist/*',
      './package.json': './package.json',
    },
    files: ['dist'],
    engines: { node: '>=20.3' },
    publishConfig: { access: 'public', provenance: true },
    keywords: ['translation', 'translator', 'machine-translation', 'webassembly', 'offline', 'web-component'],
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const target = await buildPackage();
  const names = (await readdir(join(target, 'dist'))).sort();
  console.log(`${relative(process.cwd(), target)}: ${names.join(' ')}`);
}
