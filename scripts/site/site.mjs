/**
 * Assembles build/site/, the page as it is served: the modules of web/ bundled, its other files as they are, the wasm module,
 * the weights, and the list of files the service worker keeps for use without a network.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import { bundle, copySource } from './bundle.mjs';
import { integrityOf, writeIntegrity } from './integrity.mjs';
import { librariesIn, licenceTexts } from './libraries.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

// The rest of web/ is for the npm package and for people.
const SERVED = /^(icons|page)[\\/].+\.(css|png|svg)$|^(index\.html|manifest\.schema\.json|dragoman\.webmanifest)$/;
const ENTRIES = {
  page: 'page/page.js',
  dragoman: 'dragoman.js',
  element: 'element.js',
  files: 'files.js',
  worker: 'worker.js',
  'worker-threads': 'worker-threads.js',
};

/**
 * @param {string} [target] folder to write; emptied first
 * @returns {Promise<string>} the folder
 */
export async function assembleSite(target = join(root, 'build/site')) {
  await rm(target, { recursive: true, force: true });
  const source = await copySource(target);
  await copyFiles(join(root, 'web'), target);
  await copyCore(join(target, 'core'));
  await writeIntegrity(join(target, 'core'), join(source, 'engine/integrity.js'));
  await copyLanguageTables(join(source, 'vendor/eld'));
  const metafile = await bundle(source, target, ENTRIES, { chunkNames: '[name]-[hash]' });
  await writeFile(join(target, 'LICENSES.txt'), await licenceTexts(root, ['eld', ...librariesIn(metafile)]));
  await minify(join(source, 'service-worker.js'), join(target, 'service-worker.js'));
  await rm(source, { recursive: true });
  await copyWeights(join(target, 'weights'));
  await writePrecacheList(target);
  return target;
}

/**
 * What is served as it is.
 * @param {string} source
 * @param {string} target
 */
async function copyFiles(source, target) {
  const paths = await readdir(source, { recursive: true });
  for (const path of paths.filter((path) => SERVED.test(path))) await cp(join(source, path), join(target, path));
}

/**
 * @param {string} from
 * @param {string} to
 */
async function minify(from, to) {
  const { code } = await transform(await readFile(from, 'utf8'), { minify: true, format: 'esm' });
  await writeFile(to, code);
}

/**
 * The wasm files of both builds, on one thread and on several, and Emscripten's JavaScript beside them.
 * @param {string} target
 */
export async function copyCore(target) {
  const built = (/** @type {string} */ name) => join(root, 'build', /threads/.test(name) ? 'wasm-threads' : 'wasm', name);
  const scripts = ['dragoman-core.mjs', 'dragoman-core-threads.mjs'];
  const files = ['dragoman-core.wasm', 'dragoman-relaxed.wasm'];
  const threaded = ['dragoman-core-threads.wasm', 'dragoman-relaxed-threads.wasm', 'dragoman-core-threads.worker.js'];
  const missing = [...scripts, ...files, ...threaded].map(built).find((file) => !existsSync(file));
  if (missing) throw new Error(`${relative(root, missing)} is missing: scripts/demo without --text builds it.`);
  await mkdir(target, { recursive: true });
  for (const name of scripts) await minify(built(name), join(target, name));
  for (const name of [...files, ...threaded]) await cp(built(name), join(target, name));
}

/**
 * Of the npm package eld, the detector and the smallest of its tables.
 * @param {string} target
 */
export async function copyLanguageTables(target) {
  const source = join(root, 'node_modules/eld');
  await cp(join(source, 'LICENSE'), join(target, 'LICENSE'));
  await cp(join(source, 'src'), target, {
    recursive: true,
    filter: (path) => !/(entries|ngrams)[\\/](?!static\.extrasmall|extrasmall).+$/.test(path),
  });
}

/**
 * The manifest and the files it names; what else lies in weights/ is for people.
 * @param {string} target
 */
async function copyWeights(target) {
  const source = join(root, 'weights');
  /** @type {import('../../web/models/manifest.js').ManifestSource} */
  const manifest = JSON.parse(await readFile(join(source, 'manifest.json'), 'utf8'));
  const paths = manifest.models.flatMap((model) => model.files.map((file) => file.path));
  for (const path of ['manifest.json', ...paths]) await cp(join(source, path), join(target, path));
}

/**
 * What the page uses, less the weights (dragoman.js stores those itself), each with its hash, and a version that changes when
 * any of it does: at the head of the service worker, which the browser compares as a whole to see whether it is a new one.
 * @param {string} target
 */
async function writePrecacheList(target) {
  const script = join(target, 'service-worker.js');
  const entries = await readdir(target, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(target, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => path === 'weights/manifest.json' || !/^weights\/|^service-worker\.js$/.test(path))
    .sort();
  const files = Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await integrityOf(join(target, path))])));
  const version = createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 16);
  const list = JSON.stringify({ version, files }, null, 1);
  await writeFile(script, `self.precache = ${list};\n${await readFile(script, 'utf8')}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(relative(process.cwd(), await assembleSite()));
}
