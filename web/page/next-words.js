import { button, create } from './elements.js';
import { message, percent } from './messages.js';

/**
 * What else may stand in a word's place: a choice, and the rest of the sentence is translated anew.
 *
 * @typedef {import('../engine/alignment.js').Alignment} Alignment
 * @typedef {import('../engine/alignment.js').LinkedParts} LinkedParts
 * @typedef {import('../engine/alignment.js').Range} Range
 * @typedef {import('./panels.js').Result} Result
 * @typedef {Result & {alignment: Alignment}} Aligned
 */

const COUNT = 6;
// What is less probable is no choice, but the beginning of a slip.
const LEAST = 0.001;

export class NextWords {
  #box;
  #translator;
  #onChange;
  #onFailure;
  /** @type {AbortController | undefined} */
  #run;

  /**
   * @param {HTMLElement} box a popover
   * @param {(pair: import('./translators.js').Pair) => Promise<any>} translator
   * @param {(result: Result) => void} onChange the sentence has become another
   * @param {(error: any) => void} onFailure
   */
  constructor(box, translator, onChange, onFailure) {
    this.#box = box;
    this.#translator = translator;
    this.#onChange = onChange;
    this.#onFailure = onFailure;
  }

  close() {
    this.#run?.abort();
    if (this.#box.matches(':popover-open')) this.#box.hidePopover();
  }

  /**
   * @param {Result} result that is shown
   * @param {number} word of its translation
   * @param {DOMRect} place of the word on the screen
   */
  async offer(result, word, place) {
    this.close();
    const { text, translation, pair, alignment } = result;
    const range = alignment?.words.target[word];
    const index = alignment?.sentences.target.findIndex(([start, end]) => range && start <= range[0] && range[1] <= end) ?? -1;
    if (!alignment || !range || index < 0) return;
    this.#run = new AbortController();
    const { signal } = this.#run;
    const sentence = text.slice(...alignment.sentences.source[index]);
    const [begin] = alignment.sentences.target[index];
    const prefix = translation.slice(begin, range[0]);
    try {
      const translator = await this.#translator(pair);
      /** @type {{text: string, probability: number}[]} */
      const words = await translator.nextWords(sentence, prefix, { count: COUNT, signal });
      const shown = translation.slice(...range);
      const others = words.filter(({ text: other, probability }) => other !== shown && probability >= LEAST);
      const choose = (/** @type {string} */ other) => this.#choose({ ...result, alignment }, index, prefix + other);
      this.#show(others, place, choose);
    } catch (error) {
      if (!signal.aborted) this.#onFailure(error);
    }
  }

  /**
   * @param {{text: string, probability: number}[]} words
   * @param {DOMRect} place
   * @param {(word: string) => void} choose
   */
  #show(words, place, choose) {
    const label = create('p', { className: 'note', id: 'next-words-label' });
    label.textContent = message(words.length > 0 ? 'nextWords' : 'noNextWords');
    const items = words.map(({ text, probability }) => {
      const one = button('', () => choose(text));
      one.append(create('span', { textContent: text, dir: 'auto' }), create('span', { className: 'note' }, percent(probability)));
      return create('li', {}, one);
    });
    this.#box.replaceChildren(label, create('ul', {}, ...items));
    this.#box.showPopover();
    const { offsetWidth, offsetHeight } = this.#box;
    const below = place.bottom + 6 + offsetHeight < innerHeight;
    this.#box.style.left = `${Math.max(8, Math.min(place.left, innerWidth - offsetWidth - 8))}px`;
    this.#box.style.top = `${below ? place.bottom + 6 : Math.max(8, place.top - offsetHeight - 6)}px`;
    this.#box.querySelector('button')?.focus();
  }

  /**
   * @param {Aligned} result
   * @param {number} index of the sentence
   * @param {string} prefix what it begins with from now on
   */
  async #choose(result, index, prefix) {
    this.close();
    this.#run = new AbortController();
    const { signal } = this.#run;
    const { text, pair } = result;
    /** @type {Alignment | undefined} */
    let found;
    try {
      const translator = await this.#translator(pair);
      const sentence = text.slice(...result.alignment.sentences.source[index]);
      const options = { prefix, alignment: true, onAlignment: (/** @type {Alignment} */ news) => (found = news), signal };
      const rest = await translator.translate(sentence, options);
      if (found) this.#onChange(replaced(result, index, rest, found));
    } catch (error) {
      if (!signal.aborted) this.#onFailure(error);
    }
  }
}

/**
 * A result in which one sentence has another translation.
 * @param {Aligned} result
 * @param {number} index
 * @param {string} sentence
 * @param {Alignment} alignment its own
 * @returns {Result}
 */
function replaced(result, index, sentence, alignment) {
  const [from] = result.alignment.sentences.source[index];
  const [start, end] = result.alignment.sentences.target[index];
  const longer = sentence.length - (end - start);
  const kinds = /** @type {(keyof Alignment)[]} */ (Object.keys(result.alignment));
  const spliced = kinds.map((kind) => [kind, splice(result.alignment[kind], alignment[kind], { from, start, end, longer })]);
  return {
    ...result,
    translation: result.translation.slice(0, start) + sentence + result.translation.slice(end),
    alignment: Object.fromEntries(spliced),
  };
}

/**
 * @param {LinkedParts} all
 * @param {LinkedParts} own of the sentence
 * @param {{from: number, start: number, end: number, longer: number}} place
 * @returns {LinkedParts}
 */
function splice(all, own, { from, start, end, longer }) {
  const before = all.target.filter(([, last]) => last <= start);
  const behind = all.target.filter(([first]) => first >= end);
  const shifted = (/** @type {Range[]} */ ranges, /** @type {number} */ by) =>
    ranges.map(([a, b]) => /** @type {Range} */ ([a + by, b + by]));
  // The text has not changed: its parts keep their numbers.
  const first = all.source.findIndex(([begin]) => begin >= from + (own.source[0]?.[0] ?? 0));
  const moved = before.length + own.target.length - (all.target.length - behind.length);
  const links = all.links.filter(([, target]) => target < before.length || target >= all.target.length - behind.length);
  return {
    source: all.source,
    target: [...before, ...shifted(own.target, start), ...shifted(behind, longer)],
    links: [
      ...links.filter(([, target]) => target < before.length),
      ...own.links.map(([s, t, weight]) => /** @type {[number, number, number]} */ ([s + first, t + before.length, weight])),
      ...links
        .filter(([, target]) => target >= before.length)
        .map(([s, t, weight]) => /** @type {[number, number, number]} */ ([s, t + moved, weight])),
    ],
  };
}
