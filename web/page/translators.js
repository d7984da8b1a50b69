import { Translator } from '../dragoman.js';

/**
 * The page's translators: one per direction, made when first wanted, at most two at a time, since each holds a model.
 * @typedef {{from: string, to: string}} Pair
 */
const MOST = 2;

export class Translators {
  /** In order of use, the latest last. @type {Map<string, {translator: Promise<Translator>, creation: AbortController}>} */
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
    const key = `${pair.from} ${pair.to}`;
    const entry = this.#entries.get(key) ?? this.#create(pair, key);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    while (this.#entries.size > MOST) this.#drop(this.#entries.keys().next().value);
    return entry.translator;
  }

  #create(pair, key) {
    const creation = new AbortController();
    const translator = Translator.create({
      sourceLanguage: pair.from,
      targetLanguage: pair.to,
      // Aborted later, it destroys the translator: one handle for both.
      signal: creation.signal,
      monitor: (monitor) => {
        monitor.addEventListener('downloadprogress', ({ loaded }) => this.#onProgress(pair, loaded));
      },
    });
    translator.catch(() => {
      if (this.#entries.get(key)?.translator === translator) this.#entries.delete(key);
    });
    return { translator, creation };
  }

  #drop(key) {
    this.#entries.get(key).creation.abort();
    this.#entries.delete(key);
  }
}
