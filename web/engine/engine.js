import { ENGINE_PATIENCE_MS } from '../base/abort.js';
import { exception, fromRecord } from '../base/errors.js';
import { startWorker } from './worker-host.js';

/**
 * The page's end of one direction: a worker with one model in it, shared by all translators of that direction, started
 * with the first and ended with the last, so that nothing of its memory remains. If the worker dies, the calls in flight
 * are rejected and the next one gets a new worker, from the stored model.
 *
 * @typedef {import('../models/manifest.js').Model} Model
 * @typedef {import('./worker-loop.js').FromWorker} FromWorker
 * @typedef {import('./worker-loop.js').Part} Part
 * @typedef {import('./statistics.js').Statistics} Statistics
 *
 * @typedef {object} Result what a call has found beside its text
 * @property {string[]} alternatives
 * @property {import('./alignment.js').Alignment} [alignment]
 * @property {import('./attention.js').Attention} [attention]
 * @property {import('./scores.js').Scores} [scores]
 * @property {import('./core.js').NextWord[]} [nextWords]
 * @property {import('./inspection.js').InspectedSentence} [inspection]
 *
 * @typedef {object} Call
 * @property {string} text
 * @property {boolean} streaming whether `onText` wants pieces as they arise, or all at the end
 * @property {Partial<import('./core.js').CoreOptions>} options for the core, as the API made them: of those who pass them on, only
 *   a route looks into them
 * @property {(text: string, statistics: Statistics) => void} onText
 * @property {(attention: import('./attention.js').Attention) => void} [onAttention] to the text so far, behind that
 * @property {(result: Result) => void} onDone
 * @property {(error: DOMException | TypeError) => void} onError
 */

/** @type {Map<string, Engine>} */
const engines = new Map();

/** Until a worker finds that they cannot be had after all, for want of address space, say. */
let threads = true;

export class Engine {
  #model;
  #users = 0;
  /** @type {Worker | undefined} */
  #worker;
  /** @type {Promise<void> | undefined} */
  #ready;
  /** @type {(error?: DOMException | TypeError) => void} */
  #settle = () => {};
  /** @type {Map<number, Call>} */
  #calls = new Map();
  #nextId = 1;
  #loaded = 0;
  /** Whether the worker has loaded its model. */
  #working = false;
  /** Runs until then. @type {ReturnType<typeof setTimeout> | undefined} */
  #patience;
  /** @type {Set<(loaded: number) => void>} */
  #listeners = new Set();

  /** @param {Model} model */
  constructor(model) {
    this.#model = model;
  }

  /**
   * The engine of a model; to be given back with `release`.
   * @param {Model} model
   */
  static lease(model) {
    const key = [model.id, ...model.files.map((file) => file.url)].join(' ');
    let engine = engines.get(key);
    if (!engine) engines.set(key, (engine = new Engine(model)));
    engine.#users++;
    return {
      engine,
      release: () => {
        if (--engine.#users > 0) return;
        engines.delete(key);
        engine.#end(exception('AbortError', 'The translator was destroyed.'));
      },
    };
  }

  get model() {
    return this.#model;
  }

  /**
   * Resolves when the model is loaded; starts loading if nobody has.
   * @param {(loaded: number) => void} [onProgress] bytes of the model that are here
   */
  async load(onProgress = () => {}) {
    this.#listeners.add(onProgress);
    if (this.#ready) onProgress(this.#loaded);
    try {
      await (this.#ready ??= this.#start());
    } finally {
      this.#listeners.delete(onProgress);
    }
  }

  /**
   * @param {Call} call
   * @returns {() => void} stops the work; the call then hears nothing more
   */
  translate(call) {
    const id = this.#nextId++;
    this.#calls.set(id, call);
    const { text, streaming, options } = call;
    this.load().then(
      () => this.#send(id, { type: 'translate', id, text, streaming, options }),
      (error) => this.#take(id)?.onError(error),
    );
    return () => {
      if (this.#take(id)) this.#worker?.postMessage({ type: 'cancel', id });
    };
  }

  /**
   * @param {number} id of the call, if it is still wanted
   * @param {import('./worker-loop.js').Translate} message
   */
  #send(id, message) {
    if (!this.#calls.has(id)) return;
    try {
      this.#worker?.postMessage(message);
    } catch (cause) {
      this.#take(id)?.onError(exception('OperationError', 'The text could not be given to the translation worker.', cause));
    }
  }

  #start() {
    this.#startWorker();
    /** @type {Promise<void>} */
    const settled = new Promise((resolve, reject) => {
      this.#settle = (error) => (error ? reject(error) : resolve());
    });
    return settled;
  }

  #startWorker() {
    try {
      this.#sendToWork(startWorker({ threads }));
    } catch (cause) {
      const why = /** @type {Error} */ (cause).message;
      const error = exception('OperationError', `The translation worker could not be started: ${why}`, cause);
      this.#end(error);
      throw error;
    }
  }

  /** @param {Worker} worker */
  #sendToWork(worker) {
    const alive = `dragoman worker ${crypto.randomUUID()}`;
    this.#worker = worker;
    this.#loaded = 0;
    worker.onmessage = ({ data }) => this.#receive(data, worker, alive);
    worker.onerror = (event) => {
      event.preventDefault?.();
      this.#crashed(worker, event.message ?? 'its script could not be loaded');
    };
    worker.postMessage({ type: 'load', model: this.#model, alive });
    this.#expectNews(worker);
  }

  /**
   * A worker that loads says something every few seconds, once its engine is there.
   * @param {Worker} worker
   */
  #expectNews(worker) {
    clearTimeout(this.#patience);
    const silent = `it said nothing for ${ENGINE_PATIENCE_MS / 1000} seconds`;
    this.#patience = setTimeout(() => this.#crashed(worker, silent), ENGINE_PATIENCE_MS);
  }

  /**
   * @param {FromWorker} data
   * @param {Worker} worker
   * @param {string} alive the lock that the worker holds while it lives
   */
  #receive(data, worker, alive) {
    if (worker !== this.#worker) return;
    if (!this.#working) this.#expectNews(worker);
    if (data.type === 'alive') {
      // Granted only when the worker, which holds it, is gone. Without it a silent death would go unnoticed, and that is all.
      navigator.locks.request(alive, () => this.#crashed(worker, 'it ended without a word')).catch(() => {});
    } else if (data.type === 'progress') {
      this.#loaded = data.loaded;
      for (const listener of this.#listeners) listener(data.loaded);
    } else if (data.type === 'ready') {
      this.#loaded = this.#model.bytes;
      this.#working = true;
      clearTimeout(this.#patience);
      this.#settle();
    } else if (data.type === 'no threads') {
      threads = false;
      worker.terminate();
      try {
        this.#startWorker();
      } catch {
        // Whoever waits for it has heard.
      }
    } else if (data.type === 'failed') {
      this.#end(fromRecord(data.error));
    } else if (data.type === 'error') {
      this.#take(data.id)?.onError(fromRecord(data.error));
    } else if (data.type === 'output') {
      for (const part of data.parts) this.#output(part);
    }
  }

  /** @param {Part} part */
  #output({ id, text, statistics, attention, result }) {
    const call = this.#calls.get(id);
    if (!call) return;
    if (result) this.#calls.delete(id);
    if (text) call.onText(text, statistics);
    if (attention) call.onAttention?.(attention);
    if (result) call.onDone(result);
  }

  /**
   * @param {Worker} worker
   * @param {string} what
   */
  #crashed(worker, what) {
    if (worker !== this.#worker) return;
    this.#end(exception('OperationError', `The translation worker stopped: ${what}.`));
  }

  /**
   * Ends the worker and everything that waits for it; a later call starts afresh.
   * @param {DOMException | TypeError} error
   */
  #end(error) {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#working = false;
    clearTimeout(this.#patience);
    // Nobody may be waiting for a load that was given up.
    this.#ready?.catch(() => {});
    this.#ready = undefined;
    this.#settle(error);
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    for (const call of calls) call.onError(error);
  }

  /** @param {number} id */
  #take(id) {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    return call;
  }
}
