/** Dragoman by itself: size, load time, latency, speed and memory, beside what they aim at. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyCore } from '../site/site.mjs';
import { runCoreInChromium, visit } from './chromium.mjs';
import { runInNode } from './node.mjs';
import { translateNatively } from './parts.mjs';
import { sizes } from './sizes.mjs';
import { medians } from './statistics.mjs';
import { FORMATS, printTable } from './table.mjs';

const AIMS = { wasmBrotli: 450_000, memoryBeyondWeights: 24_000_000, firstTextMs: 60 };

/** What a browser with relaxed SIMD fetches. @param {string} site folder */
export const ownWasm = (site) => ['dragoman-core.wasm', 'dragoman-relaxed.wasm'].map((name) => join(site, 'core', name));

/**
 * @param {string} root of the repository
 * @param {string} model folder
 * @param {{browser: any, url: string} | undefined} chromium without it, Node only
 * @param {number} repeat
 */
export async function measureOwn(root, model, chromium, repeat) {
  const lines = await readFile(fileURLToPath(new URL('sentences.txt', import.meta.url)), 'utf8');
  const sentences = lines.trim().split('\n');
  // What Node's first run says is what every later run, in the browser too, has to say before it is timed.
  const { translations: expected } = await runInNode(model, { sentences });
  const task = { sentences, expected };
  const node = [];
  const worker = [];
  const native = [];
  for (let i = 0; i < repeat; i++) {
    node.push((await runInNode(model, task)).figures);
    if (!chromium) continue;
    native.push(await translateNatively(root, model, task));
    worker.push((await runCoreInChromium(chromium.browser, chromium.url, task)).figures);
  }
  // As the site serves them.
  const served = join(root, 'build/bench/served');
  await copyCore(join(served, 'core'));
  const weights = await readFile(join(model, 'model.safetensors'));
  return {
    sizes: {
      wasm: await sizes(ownWasm(served)),
      glue: await sizes([join(served, 'core/dragoman-core.mjs')]),
      weights: weights.length,
    },
    sentences: sentences.length,
    node: medians(node),
    native: chromium && medians(native),
    chromium: chromium && medians(worker),
    api: chromium && medians(await visit(chromium.browser, chromium.url, task, repeat)),
  };
}

/** @param {Awaited<ReturnType<typeof measureOwn>>} result */
export function printOwn({ sizes, sentences, native, node, chromium, api }) {
  const row = (figure, format, value, aim) => {
    const verdict = aim && (value <= aim ? 'yes' : 'no');
    return [figure, FORMATS[format](value), aim ? `<= ${FORMATS[format](aim)}` : '', verdict ?? ''];
  };
  const rows = [];
  for (const [part, name] of [
    ['wasm', 'WebAssembly, both modules'],
    ['glue', 'dragoman-core.mjs'],
  ]) {
    for (const packing of ['raw', 'gzip', 'brotli']) {
      const aim = part === 'wasm' && packing === 'brotli' ? AIMS.wasmBrotli : undefined;
      rows.push(row(`${name}, ${packing}, bytes`, 'bytes', sizes[part][packing], aim));
    }
  }
  rows.push(row('weights of a direction, bytes', 'bytes', sizes.weights));
  if (native) {
    rows.push(
      row('native: one by one, tokens/s', 'rate', native.tokensPerSecond),
      row('native: all at once, tokens/s', 'rate', native.tokensPerSecondAtOnce),
    );
  }
  for (const [name, run] of /** @type {const} */ ([
    ['Node', node],
    ['Chromium', chromium],
  ])) {
    if (!run) continue;
    rows.push(
      row(`${name}: load module, ms`, 'ms', run.loadModuleMs),
      row(`${name}: load model, ms`, 'ms', run.loadModelMs),
      row(`${name}: first text of the first sentence, ms`, 'ms', run.coldFirstTextMs, AIMS.firstTextMs),
      row(`${name}: first text, mean of ${sentences}, ms`, 'ms', run.firstTextMs, AIMS.firstTextMs),
      row(`${name}: first text, slowest of ${sentences}, ms`, 'ms', run.slowestFirstTextMs, AIMS.firstTextMs),
      row(`${name}: one by one, tokens/s`, 'rate', run.tokensPerSecond),
      row(`${name}: all at once, tokens/s`, 'rate', run.tokensPerSecondAtOnce),
      row(`${name}: wasm memory after the run, bytes`, 'bytes', run.memoryBytes, sizes.weights + AIMS.memoryBeyondWeights),
    );
  }
  if (api) {
    rows.push(
      row('API in Chromium: first text, ms', 'ms', api.firstTextMs, AIMS.firstTextMs),
      row('API, warm cache: navigation to ready, ms', 'ms', api.readyMs),
      row('API, warm cache: navigation to first translation, ms', 'ms', api.firstTranslationMs),
      row(`API: ${10 * sentences} sentences on all threads against one, speed`, 'ratio', api.threadsSpeedup),
    );
  }
  printTable(['figure', 'Dragoman', 'aim', 'met'], rows);
}
