import { toRecord } from '../base/errors.js';
import { loadModel } from '../models/loader.js';

/**
 * The worker of one direction: the only place that touches the wasm module. It owns the loop that drives the engine, so
 * that a translation can be cancelled between two steps and partial text leaves as it arises. Two files start it, each with
 * a build of the engine: worker.js and worker-threads.js.
 *
 * In:  load {model, alive} once; translate {id, text, streaming, options}; cancel {id}.
 * Out: alive; progress {loaded}; ready; failed {error}; no threads; output {parts, memory}; error {id, error}.
 */

// The longest stretch of work between two looks at the mailbox: a cancelled translation stops at most this much later.
const SLICE_MS = 8;
// The specification has download progress told at most every 50 ms.
const PROGRESS_MS = 50;

/** Brings the engine's module. @type {() => Promise<any>} */
let loadCore;
/** How many threads the engine gets, this one counted. */
let threads;
let core;
let engine;
/** Translations in flight, by the page's number for them. @type {Map<number, {handle: any, streaming: boolean}>} */
const live = new Map();

// A task of its own for every slice of work, behind the messages that arrived meanwhile. (setTimeout would wait 4 ms.)
const pulse = new MessageChannel();
let working = false;
pulse.port1.onmessage = work;

/** @param {{loadCore: () => Promise<any>, threads?: number}} options */
export function serve(options) {
  ({ loadCore, threads = 1 } = options);
  self.onmessage = ({ data }) => {
    if (data.type === 'load') load(data);
    else if (data.type === 'translate') translate(data);
    else if (data.type === 'cancel') drop(data.id);
  };
}

async function load({ model, alive }) {
  // Held until this worker dies, however it dies: the page waits for the same lock, and so learns of a silent death, for
  // which browsers have no event.
  globalThis.navigator?.locks?.request(alive, () => {
    self.postMessage({ type: 'alive' });
    return new Promise(() => {});
  });
  const buffers = {};
  try {
    core = await loadCore().catch((error) => {
      // Fetched, but not to be run: shared memory is refused. On one thread it will do.
      if (threads > 1 && error?.name !== 'NetworkError') return undefined;
      throw error;
    });
    if (!core) return self.postMessage({ type: 'no threads' });
    for (const file of model.files) buffers[file.name] = new core.Buffer(file.bytes);
    await loadModel(model, buffers, throttledProgress());
    // A copy: where threads share the memory, a TextDecoder does not read from it.
    const config = new TextDecoder().decode(buffers['config.json'].view().slice());
    engine = new core.Engine(config, buffers['model.safetensors'], buffers['vocab.spm'], threads);
    self.postMessage({ type: 'ready' });
  } catch (error) {
    self.postMessage({ type: 'failed', error: toRecord(error) });
  } finally {
    for (const buffer of Object.values(buffers)) buffer.delete();
  }
}

function throttledProgress() {
  let loaded = 0;
  let timer;
  // The last value of a burst is told as well: it may be all there is for a while.
  return (bytes) => {
    loaded = bytes;
    timer ??= setTimeout(() => {
      timer = undefined;
      if (!engine) self.postMessage({ type: 'progress', loaded });
    }, PROGRESS_MS);
  };
}

function translate({ id, text, streaming, options }) {
  try {
    live.set(id, { handle: engine.start(new TextEncoder().encode(text), options.beam), streaming });
  } catch (error) {
    failOrCrash([id], error);
  }
  if (!working) {
    working = true;
    pulse.port2.postMessage(null);
  }
}

function drop(id) {
  live.get(id)?.handle.delete();
  live.delete(id);
}

function work() {
  const end = performance.now() + SLICE_MS;
  try {
    do {
      working = engine.step();
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
  const parts = [];
  for (const [id, { handle, streaming }] of live) {
    const done = handle.done();
    const text = streaming || done ? handle.takeText() : '';
    if (!text && !done) continue;
    const statistics = { tokens: handle.tokens(), sentences: handle.sentences(), sentencesDone: handle.sentencesDone() };
    parts.push({ id, text, done, statistics, result: done && { alternatives: handle.alternatives() } });
    if (done) drop(id);
  }
  if (parts.length > 0) self.postMessage({ type: 'output', parts, memory: core.HEAPU8.length });
}

/**
 * The core's own errors carry a code and leave it usable. Anything else (a trap in wasm) leaves it in an unknown state:
 * let it surface as an uncaught error, upon which the page replaces this worker.
 */
function failOrCrash(ids, error) {
  if (typeof error?.code !== 'string') throw error;
  for (const id of ids) {
    drop(id);
    self.postMessage({ type: 'error', id, error: toRecord(error) });
  }
}
