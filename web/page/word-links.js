import { message } from './messages.js';

/**
 * A word under the pointer or the caret, on either side, lights up together with what it stands for on the other. Nothing in the
 * texts changes: the browser paints the ranges (CSS Custom Highlight API). What is in a text box it cannot paint, so the source
 * has a twin of the same size behind it.
 *
 * @typedef {import('../engine/alignment.js').LinkedParts} LinkedParts
 * @typedef {'source' | 'target'} Side
 */

// A twin of a whole book would cost more than it shows.
const LONGEST = 20_000;

export class WordLinks {
  #source;
  #target;
  #say;
  /** @type {LinkedParts | undefined} */
  #words;
  /** @type {HTMLElement | undefined} */
  #twin;
  /** Of the target, the word that arrow keys move from. */
  #current = -1;
  /** @type {(word: number) => void} */
  onChosen = () => {};

  /**
   * @param {HTMLTextAreaElement} source
   * @param {import('./target-text.js').TargetText} target
   * @param {(text: string) => void} say for who cannot see the light
   */
  constructor(source, target, say) {
    this.#source = source;
    this.#target = target;
    this.#say = say;
    const box = target.element;
    source.addEventListener('pointermove', (event) => this.#show('source', this.#at('source', event)));
    box.addEventListener('pointermove', (event) => this.#show('target', this.#at('target', event)));
    for (const element of [source, box]) element.addEventListener('pointerleave', () => this.#clear());
    for (const event of ['keyup', 'click']) source.addEventListener(event, () => this.#showAtCaret());
    source.addEventListener('scroll', () => this.#twin && (this.#twin.scrollTop = source.scrollTop), { passive: true });
    for (const element of [source, box]) element.addEventListener('blur', () => this.#clear());
    box.addEventListener('keydown', (event) => this.#onKey(event));
    box.addEventListener('click', (event) => {
      const word = this.#at('target', event);
      this.#show('target', word);
      // Who selects text wants no choice.
      if (word >= 0 && getSelection()?.isCollapsed !== false) this.#choose(word);
    });
  }

  /** Whether a text is short enough to be worth the question. @param {string} text */
  static suits(text) {
    return text.length <= LONGEST && 'highlights' in CSS;
  }

  /** @param {LinkedParts | undefined} words of what is shown; none while it changes */
  set words(words) {
    this.#words = words;
    this.#current = -1;
    this.#clear();
  }

  /** @param {number} word of the translation, by its index */
  rangeOf(word) {
    const range = this.#words?.target[word];
    return range && this.#target.range(...range);
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const last = (this.#words?.target.length ?? 0) - 1;
    if (last < 0 || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const backwards = getComputedStyle(this.#target.element).direction === 'rtl' ? 'ArrowRight' : 'ArrowLeft';
    const forwards = backwards === 'ArrowLeft' ? 'ArrowRight' : 'ArrowLeft';
    if (event.key === 'Enter' && this.#current >= 0) this.#choose(this.#current);
    else if (event.key === backwards) this.#moveTo(Math.max(0, this.#current - 1));
    else if (event.key === forwards) this.#moveTo(Math.min(last, this.#current + 1));
    else if (event.key === 'Home') this.#moveTo(0);
    else if (event.key === 'End') this.#moveTo(last);
    else return;
    event.preventDefault();
  }

  /** @param {number} word */
  #moveTo(word) {
    this.#current = word;
    this.#show('target', word);
    this.rangeOf(word)?.startContainer.parentElement?.scrollIntoView({ block: 'nearest' });
    const text = (/** @type {Side} */ side, /** @type {number} */ index) => {
      const [start, end] = this.#words?.[side][index] ?? [0, 0];
      return (side === 'source' ? this.#source.value : this.#target.value).slice(start, end);
    };
    const others = this.#linked('target', word).map((other) => text('source', other));
    const key = others.length > 0 ? 'standsFor' : 'standsForNothing';
    this.#say(message(key, { word: text('target', word), others: others.join(' … ') }));
  }

  /** @param {number} word */
  #choose(word) {
    this.#current = word;
    this.onChosen(word);
  }

  #showAtCaret() {
    const { selectionStart, selectionEnd } = this.#source;
    if (selectionStart === selectionEnd) this.#show('source', this.#wordAt('source', selectionStart));
  }

  /**
   * @param {Side} side
   * @param {number} word
   */
  #show(side, word) {
    if (!this.#words || word < 0) return this.#clear();
    const [here, there] = [[word], this.#linked(side, word)];
    const [source, target] = side === 'source' ? [here, there] : [there, here];
    this.#paint(
      source.map((index) => this.#sourceRange(index)),
      target.map((index) => this.rangeOf(index)),
    );
  }

  #clear() {
    this.#paint([], []);
  }

  /** @param {(Range | undefined)[][]} sides */
  #paint(...sides) {
    if (!('highlights' in CSS)) return;
    const ranges = sides.flat().filter((range) => range !== undefined);
    if (ranges.length > 0) CSS.highlights.set('linked-words', new Highlight(...ranges));
    else CSS.highlights.delete('linked-words');
  }

  /**
   * @param {Side} side
   * @param {number} word
   */
  #linked(side, word) {
    const links = this.#words?.links ?? [];
    return side === 'source'
      ? links.filter(([source]) => source === word).map(([, target]) => target)
      : links.filter(([, target]) => target === word).map(([source]) => source);
  }

  /**
   * The word under the pointer; -1 if there is none.
   * @param {Side} side
   * @param {{clientX: number, clientY: number}} point
   */
  #at(side, { clientX, clientY }) {
    if (!this.#words) return -1;
    const found = document.caretPositionFromPoint?.(clientX, clientY);
    if (!found) return -1;
    const offset = side === 'source' ? this.#sourceOffset(found) : this.#target.offsetAt(found.offsetNode, found.offset);
    // The place is between two letters: the word may be the one before it.
    const near = [this.#wordAt(side, offset), this.#wordAt(side, offset - 1)];
    const isUnder = (/** @type {number} */ word) => {
      const range = word < 0 ? undefined : side === 'source' ? this.#sourceRange(word) : this.rangeOf(word);
      return [...(range?.getClientRects() ?? [])].some(
        ({ left, right, top, bottom }) => left <= clientX && clientX <= right && top <= clientY && clientY <= bottom,
      );
    };
    return near.find(isUnder) ?? -1;
  }

  /** @param {CaretPosition} position in the box itself */
  #sourceOffset({ offsetNode, offset }) {
    return offsetNode === this.#source ? offset : -1;
  }

  /**
   * @param {Side} side
   * @param {number} offset
   */
  #wordAt(side, offset) {
    return this.#words?.[side].findIndex(([start, end]) => start <= offset && offset < end) ?? -1;
  }

  /** @param {number} word */
  #sourceRange(word) {
    const range = this.#words?.source[word];
    const text = this.#twinned().firstChild;
    if (!range || !(text instanceof Text) || range[1] > text.length) return undefined;
    const made = document.createRange();
    made.setStart(text, range[0]);
    made.setEnd(text, range[1]);
    return made;
  }

  /** The twin, with the text, the width and the place that the box has now. */
  #twinned() {
    if (!this.#twin) {
      this.#twin = document.createElement('div');
      this.#twin.className = 'text twin';
      this.#twin.ariaHidden = 'true';
      this.#source.before(this.#twin);
    }
    // A text box shows an empty line at its end, a block does not.
    const text = `${this.#source.value}\n`;
    if (this.#twin.textContent !== text) this.#twin.replaceChildren(text);
    this.#twin.dir = getComputedStyle(this.#source).direction;
    this.#twin.style.width = `${this.#source.clientWidth}px`;
    this.#twin.style.height = `${this.#source.clientHeight}px`;
    this.#twin.scrollTop = this.#source.scrollTop;
    return this.#twin;
  }
}
