/**
 * Assembles build/site/, the page as it is served: web/ as it is, the wasm module, the weights, and the list of files the
 * service worker keeps for use without a network. Nothing is bundled; each module is
 * only freed of its comments and blanks, which are half of it.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

// For the npm package and for people.
const NOT_SERVED = /^web[\\/](examples|node|jsconfig.*|.*\.(md|d\.ts))$/;

/**
 * @param {string} [target] folder to write; emptied first
 * @returns {Promise<string>} the folder
 */
export async function assembleSite(target = join(root, 'build/site')) {
  await rm(target, { recursive: true, force: true });
  await cp(join(root, 'web'), target, { recursive: true, filter: (path) => !NOT_SERVED.test(relative(root, path)) });
  await minifyModules(target);
  await copyCore(join(target, 'core'));
  await copyLanguageTables(join(target, 'vendor/eld'));
  await copyWeights(join(target, 'weights'));
  await writePrecacheList(target);
  return target;
}

/** @param {string} folder */
async function minifyModules(folder) {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && entry.name.endsWith('.js')) await minify(join(entry.parentPath, entry.name));
  }
}

/**
 * @param {string} from
 * @param {string} [to]
 */
async function minify(from, to = from) {
  const { code } = await transform(await readFile(from, 'utf8'), { minify: true, format: 'esm' });
  await writeFile(to, code);
}

/**
 * The wasm files of both builds, on one thread and on several, and Emscripten's JavaScript beside them.
 * @param {string} target
 */
export async function copyCore(target) {
  const build = (/** @type {string} */ name) => join(root, 'build', /threads/.test(name) ? 'wasm-threads' : 'wasm', name);
  const scripts = ['dragoman-core.mjs', 'dragoman-core-threads.mjs'];
  const files = ['dragoman-core.wasm', 'dragoman-relaxed.wasm'];
  const threaded = ['dragoman-core-threads.wasm', 'dragoman-relaxed-threads.wasm', 'dragoman-core-threads.worker.js'];
  const missing = [...scripts, ...files, ...threaded].map(build).find((file) => !existsSync(file));
  if (missing) throw new Error(`${relative(root, missing)} is missing: scripts/demo without --text builds it.`);
  await mkdir(target, { recursive: true });
  for (const name of scripts) await minify(build(name), join(target, name));
  for (const name of [...files, ...threaded]) await cp(build(name), join(target, name));
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
 * What the page uses, less the weights (dragoman.js stores those itself), and a version that changes when any of it does.
 * @param {string} target
 */
async function writePrecacheList(target) {
  const entries = await readdir(target, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(target, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => path === 'weights/manifest.json' || !/^weights\/|^service-worker\.js$/.test(path))
    .sort();
  const hash = createHash('sha256');
  for (const file of files) hash.update(file).update(await readFile(join(target, file)));
  const precache = { version: hash.digest('hex').slice(0, 16), files };
  await writeFile(join(target, 'precache.js'), `self.precache = ${JSON.stringify(precache, null, 1)};\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(relative(process.cwd(), await assembleSite()));
}
