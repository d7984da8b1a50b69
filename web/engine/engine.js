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
 * @typedef {{alternatives: string[], alignment?: import('./alignment.js').Alignment}} Result what a call has found beside its text
 *
 * @typedef {object} Call
 * @property {string} text
 * @property {boolean} streaming whether `onText` wants pieces as they arise, or all at the end
 * @property {object} options for the core, as the API made them: nobody on the way there looks into them
 * @property {(text: string, statistics: Statistics) => void} onText
 * @property {(result: Result) => void} onDone
 * @property {(error: DOMException) => void} onError
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
  /** @type {(error?: DOMException) => void} */
  #settle = () => {};
  /** @type {Map<number, Call>} */
  #calls = new Map();
  #nextId = 1;
  #loaded = 0;
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
      () => this.#calls.has(id) && this.#worker?.postMessage({ type: 'translate', id, text, streaming, options }),
      (error) => this.#take(id)?.onError(error),
    );
    return () => {
      if (this.#take(id)) this.#worker?.postMessage({ type: 'cancel', id });
    };
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
    const worker = startWorker({ threads });
    const alive = `dragoman worker ${crypto.randomUUID()}`;
    this.#worker = worker;
    this.#loaded = 0;
    worker.onmessage = ({ data }) => this.#receive(data, worker, alive);
    worker.onerror = (event) => {
      event.preventDefault?.();
      this.#crashed(worker, event.message ?? 'its script could not be loaded');
    };
    worker.postMessage({ type: 'load', model: this.#model, alive });
  }

  /**
   * @param {FromWorker} data
   * @param {Worker} worker
   * @param {string} alive the lock that the worker holds while it lives
   */
  #receive(data, worker, alive) {
    if (worker !== this.#worker) return;
    if (data.type === 'alive') {
      // Granted only when the worker, which holds it, is gone.
      navigator.locks.request(alive, () => this.#crashed(worker, 'it ended without a word'));
    } else if (data.type === 'progress') {
      this.#loaded = data.loaded;
      for (const listener of this.#listeners) listener(data.loaded);
    } else if (data.type === 'ready') {
      this.#loaded = this.#model.bytes;
      this.#settle();
    } else if (data.type === 'no threads') {
      threads = false;
      worker.terminate();
      this.#startWorker();
    } else if (data.type === 'failed') {
      this.#end(fromRecord(data.error));
    } else if (data.type === 'error') {
      this.#take(data.id)?.onError(fromRecord(data.error));
    } else if (data.type === 'output') {
      for (const part of data.parts) this.#output(part);
    }
  }

  /** @param {Part} part */
  #output({ id, text, statistics, result }) {
    const call = this.#calls.get(id);
    if (!call) return;
    if (result) this.#calls.delete(id);
    if (text) call.onText(text, statistics);
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
   * @param {DOMException} error
   */
  #end(error) {
    this.#worker?.terminate();
    this.#worker = undefined;
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
