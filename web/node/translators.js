import { Worker } from 'node:worker_threads';

/**
 * Several translators of one direction, each with a model in a thread of its own, that share what there is to do.
 *
 * @typedef {{sourceLanguage: string, targetLanguage: string}} Languages
 * @typedef {{resolve: (translation: string) => void, reject: (error: unknown) => void}} Waiting
 * @typedef {{thread: Worker, waiting: Map<number, Waiting>}} One
 */
export class Translators {
  /** @type {One[]} */
  #all;
  #next = 0;
  #languages;

  /** Texts at once that keep one of them busy. */
  inFlight = 16;

  /**
   * @param {Languages} languages
   * @param {number} count
   */
  constructor(languages, count) {
    this.#languages = languages;
    this.#all = Array.from({ length: count }, () => start(languages));
  }

  get targetLanguage() {
    return this.#languages.targetLanguage;
  }

  /**
   * @param {string} html
   * @returns {Promise<string>} by the one that has the least to do
   */
  translate(html) {
    const id = this.#next++;
    const { thread, waiting } = this.#all.reduce((least, one) => (one.waiting.size < least.waiting.size ? one : least));
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      thread.postMessage({ id, html });
    });
  }

  destroy() {
    for (const { thread } of this.#all) thread.terminate();
  }
}

/**
 * @param {Languages} languages
 * @returns {One}
 */
function start(languages) {
  /** @type {One} */
  const one = {
    thread: new Worker(new URL('./node-cli-worker.js', import.meta.url), { workerData: languages }),
    waiting: new Map(),
  };
  const { thread, waiting } = one;
  thread.on('message', ({ id, translation, error }) => {
    if (error) waiting.get(id)?.reject(Object.assign(new Error(error.message), { name: error.name }));
    else waiting.get(id)?.resolve(translation);
    waiting.delete(id);
  });
  thread.on('error', (error) => {
    for (const { reject } of waiting.values()) reject(error);
  });
  return one;
}
