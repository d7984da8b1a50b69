import { message } from './messages.js';

/**
 * How far the download of a model is.
 * @typedef {import('./translators.js').Pair} Pair
 */
export class DownloadLine {
  #box;
  #label;
  #bar;
  #nameOf;
  /** Bytes of the models, by direction. @type {Map<string, number>} */
  #sizes = new Map();

  /**
   * @param {{box: HTMLElement, label: HTMLElement, bar: HTMLProgressElement}} elements
   * @param {(language: string) => string} nameOf
   */
  constructor({ box, label, bar }, nameOf) {
    this.#box = box;
    this.#label = label;
    this.#bar = bar;
    this.#nameOf = nameOf;
  }

  get isShown() {
    return !this.#box.hidden;
  }

  /** @param {{sourceLanguage: string, targetLanguage: string, bytes: number}[]} directions that there are */
  knowSizes(directions) {
    for (const { sourceLanguage, targetLanguage, bytes } of directions)
      this.#sizes.set(`${sourceLanguage} ${targetLanguage}`, bytes);
  }

  /**
   * @param {Pair} pair
   * @param {number} loaded 0 to 1
   */
  show({ from, to }, loaded) {
    const bytes = this.#sizes.get(`${from} ${to}`);
    this.#box.hidden = loaded === 1;
    this.#bar.value = loaded;
    const names = { from: this.#nameOf(from), to: this.#nameOf(to) };
    const start = message('downloadingOf', { ...names, percent: Math.floor(loaded * 100) });
    this.#label.textContent = bytes ? message('downloadingSize', { start, size: Math.round(bytes / 1e5) / 10 }) : start;
  }

  hide() {
    this.#box.hidden = true;
  }
}
