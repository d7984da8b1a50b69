import { toRecord } from '../base/errors.js';
import { gunzip, isGzip } from '../models/gzip.js';
import { loadModel } from '../models/loader.js';
import { fromFlat as alignmentFromFlat } from './alignment.js';
import { AttentionRecord } from './attention.js';
import { fromFlat as scoresFromFlat } from './scores.js';

/**
 * The worker of one direction: the only place that touches the wasm module. It owns the loop that drives the engine, so
 * that a translation can be cancelled between two steps and partial text leaves as it arises. Two files start it, each with
 * a build of the engine: worker.js and worker-threads.js.
 *
 * What the page sends, and what it is sent:
 * @typedef {{type: 'load', model: Model, alive: string}} Load comes once; `alive` is the lock to hold
 * @typedef {{type: 'translate', id: number, text: string, streaming: boolean, options: any}} Translate
 * @typedef {Load | Translate | {type: 'cancel', id: number}} ToWorker
 *
 * @typedef {{type: 'alive'} | {type: 'progress', loaded: number} | {type: 'ready'} | {type: 'failed', error: ErrorRecord} |
 *   {type: 'loading'} | {type: 'no threads'} | {type: 'output', parts: Part[]} | {type: 'error', id: number, error: ErrorRecord}} FromWorker
 * @typedef {import('./engine.js').Statistics} Statistics
 * @typedef {{id: number, text: string, statistics: Statistics, result: import('./engine.js').Result | undefined}} Part of a
 *   call's text; with the last comes the result
 *
 * @typedef {import('../base/errors.js').ErrorRecord} ErrorRecord
 * @typedef {import('../models/manifest.js').Model} Model
 * @typedef {import('./core.js').Core} Core
 */

// The longest stretch of work between two looks at the mailbox: a cancelled translation stops at most this much later.
const SLICE_MS = 8;
// The specification has download progress told at most every 50 ms.
const PROGRESS_MS = 50;
// While it loads, the page is told so often that this worker gets on.
const SIGN_OF_LIFE_MS = 5000;

/** Brings the engine's module. @type {() => Promise<Core>} */
let loadCore;
/** How many threads the engine gets, this one counted. @type {number} */
let threads;
/** @type {Core} */
let core;
/** @type {import('./core.js').CoreEngine} */
let engine;
/**
 * Translations in flight, by the page's number for them.
 * @type {Map<number, {handle: import('./core.js').Translation, streaming: boolean, options: import('./core.js').CoreOptions,
 *   attention: AttentionRecord | undefined}>}
 */
const live = new Map();

// A task of its own for every slice of work, behind the messages that arrived meanwhile. (setTimeout would wait 4 ms.)
const pulse = new MessageChannel();
let working = false;
pulse.port1.onmessage = work;

/** @param {FromWorker} message */
const post = (message) => self.postMessage(message);

/** @param {{loadCore: () => Promise<Core>, threads?: number}} options */
export function serve(options) {
  ({ loadCore, threads = 1 } = options);
  self.onmessage = (/** @type {MessageEvent<ToWorker>} */ { data }) => {
    if (data.type === 'load') load(data);
    else if (data.type === 'translate') translate(data);
    else if (data.type === 'cancel') drop(data.id);
  };
}

/** @param {Load} message */
async function load({ model, alive }) {
  // Held until this worker dies, however it dies: the page waits for the same lock, and so learns of a silent death, for
  // which browsers have no event.
  globalThis.navigator?.locks
    ?.request(alive, () => {
      post({ type: 'alive' });
      return new Promise(() => {});
    })
    .catch(() => {});
  const signs = setInterval(() => post({ type: 'loading' }), SIGN_OF_LIFE_MS);
  /** @type {Record<string, import('./core.js').Buffer>} */
  const buffers = {};
  try {
    const loaded = await loadCore().catch((error) => {
      // Fetched, but not to be run: shared memory is refused. On one thread it will do.
      if (threads > 1 && error?.name !== 'NetworkError') return undefined;
      throw error;
    });
    if (!loaded) return post({ type: 'no threads' });
    core = loaded;
    for (const file of model.files) buffers[file.name] = new core.Buffer(file.bytes);
    await loadModel(model, buffers, throttledProgress());
    await unpack(buffers);
    engine = newEngine(model, buffers);
    post({ type: 'ready' });
  } catch (error) {
    post({ type: 'failed', error: toRecord(error) });
  } finally {
    clearInterval(signs);
    for (const buffer of Object.values(buffers)) buffer.delete();
  }
}

/**
 * Puts what a gzipped file holds in the place of the file.
 * @param {Record<string, import('./core.js').Buffer>} buffers by file name
 */
async function unpack(buffers) {
  for (const [name, packed] of Object.entries(buffers)) {
    if (!isGzip(packed.view())) continue;
    const bytes = await gunzip(packed.view().slice(), name);
    packed.delete();
    buffers[name] = new core.Buffer(bytes.length);
    buffers[name].view().set(bytes);
  }
}

/**
 * @param {Model} model
 * @param {Record<string, import('./core.js').Buffer>} buffers by file name
 */
function newEngine({ format, sourceLanguage, targetLanguage }, buffers) {
  if (format === 'bergamot') {
    const languages = JSON.stringify({ source_language: sourceLanguage, target_language: targetLanguage });
    const vocabulary = buffers['vocab.spm'] ?? buffers['source.spm'];
    const target = buffers['target.spm'] ?? null;
    return new core.Engine(languages, buffers['model.bin'], vocabulary, target, buffers['lex.bin'] ?? null, threads);
  }
  // A copy: where threads share the memory, a TextDecoder does not read from it.
  const config = new TextDecoder().decode(buffers['config.json'].view().slice());
  return new core.Engine(config, buffers['model.safetensors'], buffers['vocab.spm'], null, null, threads);
}

function throttledProgress() {
  let loaded = 0;
  let waiting = false;
  return (/** @type {number} */ bytes) => {
    loaded = bytes;
    if (waiting) return;
    waiting = true;
    // The last value of a burst is told as well: it may be all there is for a while.
    setTimeout(() => {
      waiting = false;
      if (!engine) post({ type: 'progress', loaded });
    }, PROGRESS_MS);
  };
}

/** @param {any} text @returns {Uint8Array} */
const utf8 = (text) => new TextEncoder().encode(text);

/** @param {Translate} message */
function translate({ id, text, streaming, options }) {
  try {
    const all = { ...core.defaultOptions(), ...options };
    // What is no Unicode becomes U+FFFD in the text and in what goes with it.
    all.prefix = utf8(all.prefix);
    all.glossary = utf8(all.glossary);
    const attention = all.attention ? new AttentionRecord(engine.shape()) : undefined;
    const handle = engine.start(utf8(text), all);
    attention?.began();
    live.set(id, { handle, streaming, options: all, attention });
  } catch (error) {
    failOrCrash([id], error);
  }
  if (!working) {
    working = true;
    pulse.port2.postMessage(null);
  }
}

/** @param {number} id */
function drop(id) {
  live.get(id)?.handle.delete();
  live.delete(id);
}

function work() {
  const end = performance.now() + SLICE_MS;
  try {
    do {
      working = engine.step();
      for (const { attention } of live.values()) attention?.stepped();
      deliver();
    } while (working && performance.now() < end);
  } catch (error) {
    working = false;
    failOrCrash([...live.keys()], error);
  }
  if (working) pulse.port2.postMessage(null);
}

/** What became final in this step, of all translations, in one message. */
function deliver() {
  /** @type {Part[]} */
  const parts = [];
  for (const [id, { handle, streaming, options, attention }] of live) {
    const done = handle.done();
    const text = streaming || done ? handle.takeText() : '';
    if (!text && !done) continue;
    const statistics = {
      tokens: handle.tokens(),
      sentences: handle.sentences(),
      sentencesDone: handle.sentencesDone(),
      memory: core.HEAPU8.length,
    };
    if (!done) {
      parts.push({ id, text, statistics, result: undefined });
      continue;
    }
    const alignment = options.alignment || options.attention ? alignmentFromFlat(handle.alignment()) : undefined;
    const result = {
      alternatives: handle.alternatives(),
      alignment,
      attention: alignment && attention?.of(alignment, handle.headAttention()),
      scores: options.scores ? scoresFromFlat(handle.scores()) : undefined,
      nextWords: options.nextWords > 0 ? handle.nextWords() : undefined,
    };
    parts.push({ id, text, statistics, result });
    drop(id);
  }
  if (parts.length > 0) post({ type: 'output', parts });
}

/**
 * The core's own errors carry a code and leave it usable. Anything else (a trap in wasm) leaves it in an unknown state:
 * let it surface as an uncaught error, upon which the page replaces this worker.
 * @param {number[]} ids
 * @param {any} error
 */
function failOrCrash(ids, error) {
  if (typeof error?.code !== 'string') throw error;
  for (const id of ids) {
    drop(id);
    post({ type: 'error', id, error: toRecord(error) });
  }
}
