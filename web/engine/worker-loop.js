import { toRecord } from '../base/errors.js';
import { loadModel } from '../models/loader.js';
import { isPacked, unpack } from '../models/packed-file.js';
import { fromFlat as alignmentFromFlat } from './alignment.js';
import { AttentionRecord } from './attention.js';
import { fromFlat as inspectionFromFlat } from './inspection.js';
import { fromFlat as scoresFromFlat } from './scores.js';

/**
 * The worker of one direction: the only place that touches the wasm module. It owns the loop that drives the engine, so
 * that a translation can be cancelled between two steps and partial text leaves as it arises. Two files start it in a
 * worker, each with a build of the engine: worker.js and worker-threads.js; one where there are no workers: same-thread/worker-host.js.
 *
 * What the page sends, and what it is sent:
 * @typedef {{type: 'load', model: Model, alive: string}} Load comes once; `alive` is the lock to hold
 * @typedef {{type: 'translate', id: number, text: string, streaming: boolean, options: any}} Translate
 * @typedef {Load | Translate | {type: 'cancel', id: number}} ToWorker
 *
 * @typedef {{type: 'alive'} | {type: 'progress', loaded: number} | {type: 'ready'} | {type: 'failed', error: ErrorRecord} |
 *   {type: 'loading'} | {type: 'no threads'} | {type: 'output', parts: Part[]} | {type: 'error', id: number, error: ErrorRecord}} FromWorker
 * @typedef {import('./engine.js').Statistics} Statistics
 * @typedef {object} Part of a call's text
 * @property {number} id
 * @property {string} text
 * @property {Statistics} statistics
 * @property {import('./attention.js').Attention} [attention] to the translation so far
 * @property {import('./engine.js').Result} [result] comes with the last
 *
 * @typedef {import('../base/errors.js').ErrorRecord} ErrorRecord
 * @typedef {import('../models/manifest.js').Model} Model
 * @typedef {import('./core.js').Core} Core
 * @typedef {import('./core.js').CoreEngine} CoreEngine
 */

// The longest stretch of work between two looks at the mailbox: a cancelled translation stops at most this much later.
const SLICE_MS = 8;
// The specification has download progress told at most every 50 ms.
const PROGRESS_MS = 50;
// Attention as it grows is told again and again, as often as a screen can show it.
const FRAME_MS = 16;
// While it loads, the page is told so often that this worker gets on.
const SIGN_OF_LIFE_MS = 5000;

export class EngineLoop {
  #loadCore;
  #threads;
  #post;
  /** @type {Core | undefined} */
  #core;
  /** @type {CoreEngine | undefined} */
  #engine;
  /**
   * Translations in flight, by the page's number for them.
   * @type {Map<number, {handle: import('./core.js').Translation, streaming: boolean, options: import('./core.js').CoreOptions,
   *   attention: AttentionRecord | undefined, written: number, shown: number}>} `written`: how much text has left; `shown`: when
   *   the attention was told last
   */
  #live = new Map();
  // A task of its own for every slice of work, behind the messages that arrived meanwhile. (setTimeout would wait 4 ms.)
  #pulse = new MessageChannel();
  #working = false;
  #end = () => {};
  /** So long it holds the lock that says that it lives, one granted late included. @type {Promise<void>} */
  #ended = new Promise((resolve) => (this.#end = resolve));

  /**
   * @param {{loadCore: () => Promise<Core>, threads?: number, post: (message: FromWorker) => void}} options `loadCore` brings the
   *   engine's module; `threads` is how many it gets, this one counted
   */
  constructor({ loadCore, threads = 1, post }) {
    this.#loadCore = loadCore;
    this.#threads = threads;
    this.#post = post;
    this.#pulse.port1.onmessage = () => this.#work();
  }

  /** @param {ToWorker} message */
  receive(message) {
    if (message.type === 'load') this.#load(message);
    else if (message.type === 'translate') this.#translate(message);
    else if (message.type === 'cancel') this.#drop(message.id);
  }

  /** For who has no worker to terminate: after this nothing holds the engine. */
  end() {
    this.#pulse.port1.close();
    this.#end();
  }

  /** @param {Load} message */
  async #load({ model, alive }) {
    // Held until this worker dies, however it dies: the page waits for the same lock, and so learns of a silent death, for
    // which browsers have no event.
    globalThis.navigator?.locks
      ?.request(alive, () => {
        this.#post({ type: 'alive' });
        return this.#ended;
      })
      .catch(() => {});
    const signs = setInterval(() => this.#post({ type: 'loading' }), SIGN_OF_LIFE_MS);
    /** @type {Record<string, import('./core.js').Buffer>} */
    const buffers = {};
    try {
      const core = await this.#loadCore().catch((error) => {
        // Fetched, but not to be run: shared memory is refused. On one thread it will do.
        if (this.#threads > 1 && error?.name !== 'NetworkError') return undefined;
        throw error;
      });
      if (!core) return this.#post({ type: 'no threads' });
      for (const file of model.files) buffers[file.name] = new core.Buffer(file.bytes);
      await loadModel(model, buffers, this.#throttledProgress());
      await unpackAll(core, model, buffers);
      this.#core = core;
      this.#engine = newEngine(core, model, buffers, this.#threads);
      this.#post({ type: 'ready' });
    } catch (error) {
      this.#post({ type: 'failed', error: toRecord(error) });
    } finally {
      clearInterval(signs);
      for (const buffer of Object.values(buffers)) buffer.delete();
    }
  }

  #throttledProgress() {
    let loaded = 0;
    let waiting = false;
    return (/** @type {number} */ bytes) => {
      loaded = bytes;
      if (waiting) return;
      waiting = true;
      // The last value of a burst is told as well: it may be all there is for a while.
      setTimeout(() => {
        waiting = false;
        if (!this.#engine) this.#post({ type: 'progress', loaded });
      }, PROGRESS_MS);
    };
  }

  /** @param {Translate} message */
  #translate({ id, text, streaming, options }) {
    const [core, engine] = [/** @type {Core} */ (this.#core), /** @type {CoreEngine} */ (this.#engine)];
    try {
      if (options.inspect) return this.#inspect(id, utf8(text), options);
      const all = { ...core.defaultOptions(), ...options };
      // What is no Unicode becomes U+FFFD in the text and in what goes with it.
      all.prefix = utf8(all.prefix);
      all.glossary = utf8(all.glossary);
      const attention = all.attention ? new AttentionRecord(engine.shape()) : undefined;
      const handle = engine.start(utf8(text), all);
      attention?.began();
      this.#live.set(id, { handle, streaming, options: all, attention, written: 0, shown: 0 });
    } catch (error) {
      this.#failOrCrash([id], error);
    }
    if (!this.#working) {
      this.#working = true;
      this.#pulse.port2.postMessage(null);
    }
  }

  /**
   * In one go, which is a sentence's.
   * @param {number} id
   * @param {Uint8Array} text
   * @param {Partial<import('./core.js').CoreOptions>} options
   */
  #inspect(id, text, { prefix, whole }) {
    const engine = /** @type {CoreEngine} */ (this.#engine);
    const inspection = inspectionFromFlat(engine.inspect(text, whole ? utf8(prefix) : undefined), engine.shape());
    const statistics = { tokens: inspection.target.tokens.length, sentences: 1, sentencesDone: 1, memory: this.#memory };
    this.#post({ type: 'output', parts: [{ id, text: '', statistics, result: { alternatives: [], inspection } }] });
  }

  /** In bytes. */
  get #memory() {
    return /** @type {Core} */ (this.#core).HEAPU8.length;
  }

  /** @param {number} id */
  #drop(id) {
    this.#live.get(id)?.handle.delete();
    this.#live.delete(id);
  }

  #work() {
    const engine = /** @type {CoreEngine} */ (this.#engine);
    const end = performance.now() + SLICE_MS;
    try {
      do {
        this.#working = engine.step();
        for (const { attention } of this.#live.values()) attention?.stepped();
        this.#deliver();
      } while (this.#working && performance.now() < end);
    } catch (error) {
      this.#working = false;
      this.#failOrCrash([...this.#live.keys()], error);
    }
    if (this.#working) this.#pulse.port2.postMessage(null);
  }

  /** What became final in this step, of all translations, in one message. */
  #deliver() {
    /** @type {Part[]} */
    const parts = [];
    for (const [id, live] of this.#live) {
      const { handle, streaming, options, attention } = live;
      const done = handle.done();
      const text = streaming || done ? handle.takeText() : '';
      if (!text && !done) continue;
      const statistics = {
        tokens: handle.tokens(),
        sentences: handle.sentences(),
        sentencesDone: handle.sentencesDone(),
        memory: this.#memory,
      };
      live.written += text.length;
      if (!done) {
        const show = attention && performance.now() - live.shown >= FRAME_MS;
        if (show) live.shown = performance.now();
        const soFar = show
          ? attention.of(alignmentFromFlat(handle.alignment()), handle.headAttention(), live.written)
          : undefined;
        parts.push({ id, text, statistics, attention: soFar });
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
      this.#drop(id);
    }
    if (parts.length > 0) this.#post({ type: 'output', parts });
  }

  /**
   * The core's own errors carry a code and leave it usable. Anything else (a trap in wasm) leaves it in an unknown state: the page
   * is told, and replaces this worker; the console has the error as it is.
   * @param {number[]} ids
   * @param {any} error
   */
  #failOrCrash(ids, error) {
    if (typeof error?.code !== 'string') {
      this.#post({ type: 'failed', error: { name: 'OperationError', message: `The translation engine stopped: ${error}.` } });
      throw error;
    }
    for (const id of ids) {
      this.#drop(id);
      this.#post({ type: 'error', id, error: toRecord(error) });
    }
  }
}

/**
 * In a worker: all its messages are for the loop.
 * @param {{loadCore: () => Promise<Core>, threads?: number}} options as EngineLoop takes them
 */
export function serve(options) {
  const loop = new EngineLoop({ ...options, post: (message) => self.postMessage(message) });
  self.onmessage = (/** @type {MessageEvent<ToWorker>} */ { data }) => loop.receive(data);
}

/** @param {any} text @returns {Uint8Array} */
const utf8 = (text) => new TextEncoder().encode(text);

/**
 * Puts what a packed file holds in the place of the file.
 * @param {Core} core
 * @param {Model} model
 * @param {Record<string, import('./core.js').Buffer>} buffers by file name
 */
async function unpackAll(core, { files }, buffers) {
  for (const file of files) {
    const packed = buffers[file.name];
    if (!isPacked(packed.view())) continue;
    const { size, pieces } = await unpack(packed.view().slice(), file);
    packed.delete();
    buffers[file.name] = new core.Buffer(size);
    const view = buffers[file.name].view();
    let offset = 0;
    for (const piece of pieces) {
      view.set(piece, offset);
      offset += piece.length;
    }
  }
}

/**
 * @param {Core} core
 * @param {Model} model
 * @param {Record<string, import('./core.js').Buffer>} buffers by file name
 * @param {number} threads
 */
function newEngine(core, { format, sourceLanguage, targetLanguage }, buffers, threads) {
  const vocabulary = buffers['vocab.spm'] ?? buffers['source.spm'];
  const target = buffers['target.spm'] ?? null;
  if (format === 'bergamot') {
    const languages = JSON.stringify({ source_language: sourceLanguage, target_language: targetLanguage });
    return new core.Engine(languages, buffers['model.bin'], vocabulary, target, buffers['lex.bin'] ?? null, threads);
  }
  // A copy: where threads share the memory, a TextDecoder does not read from it.
  const config = new TextDecoder().decode(buffers['config.json'].view().slice());
  return new core.Engine(config, buffers['model.safetensors'], vocabulary, target, null, threads);
}
