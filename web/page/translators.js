import { Translator } from '../dragoman.js';

/**
 * The page's translators: one per direction, made when first wanted, at most two at a time, since each holds a model.
 * @typedef {{from: string, to: string}} Pair
 * @typedef {{translator: Promise<Translator>, creation: AbortController, loaded: number}} Entry
 */
const MOST = 2;

export class Translators {
  /** In order of use, the latest last. @type {Map<string, Entry>} */
  #entries = new Map();
  #onProgress;

  /** @param {(pair: Pair, loaded: number) => void} onProgress */
  constructor(onProgress) {
    this.#onProgress = onProgress;
  }

  /**
   * @param {Pair} pair
   * @returns {Promise<Translator>} after a failure, a later call tries again
   */
  get(pair) {
    const key = keyOf(pair);
    const entry = this.#entries.get(key) ?? this.#create(pair, key);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const [[eldest, { creation }]] = this.#entries;
    if (this.#entries.size > MOST) {
      creation.abort();
      this.#entries.delete(eldest);
    }
    return entry.translator;
  }

  /**
   * @param {Pair} pair
   * @returns {number} how much of its download is done, 0 to 1
   */
  progress(pair) {
    return this.#entries.get(keyOf(pair))?.loaded ?? 0;
  }

  /**
   * @param {Pair} pair
   * @param {string} key
   */
  #create(pair, key) {
    const creation = new AbortController();
    const translator = Translator.create({
      sourceLanguage: pair.from,
      targetLanguage: pair.to,
      // Aborted later, it destroys the translator: one handle for both.
      signal: creation.signal,
      monitor: (monitor) => {
        monitor.addEventListener('downloadprogress', ({ loaded }) => {
          entry.loaded = loaded;
          this.#onProgress(pair, loaded);
        });
      },
    });
    /** @type {Entry} */
    const entry = { translator, creation, loaded: 0 };
    translator.catch(() => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    });
    return entry;
  }
}

/** @param {Pair} pair */
function keyOf({ from, to }) {
  return `${from} ${to}`;
}
