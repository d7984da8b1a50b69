/**
 * The translation on the page, growing at its end. One block per line, so that the browser lays out again only the line that
 * grows and not a whole book.
 */
export class TargetText {
  #element;
  #value = '';

  /** @param {HTMLElement} element */
  constructor(element) {
    this.#element = element;
  }

  get element() {
    return this.#element;
  }

  /** The text as it was translated. */
  get value() {
    return this.#value;
  }

  /** The old text stays on the screen, dimmed, until the new one begins: an empty box would flicker at every key. */
  expectNew() {
    this.#element.classList.add('stale');
  }

  /** Whether what is on the screen belongs to an earlier text. */
  get stale() {
    return this.#element.classList.contains('stale');
  }

  /** @param {string} piece */
  append(piece) {
    if (this.stale) this.clear();
    this.#value += piece;
    const [rest, ...lines] = piece.split('\n');
    this.#extend(this.#element.lastElementChild ?? this.#newLine(), rest);
    for (const line of lines) this.#extend(this.#newLine(), line);
  }

  /** Nothing more comes: if nothing came at all, the old text goes. */
  finish() {
    if (this.stale) this.clear();
  }

  clear() {
    this.#value = '';
    this.#element.classList.remove('stale');
    this.#element.replaceChildren();
  }

  /**
   * A part of what is shown.
   * @param {number} start in UTF-16 units of the text
   * @param {number} end within the same line
   * @returns {Range | undefined}
   */
  range(start, end) {
    let begin = 0;
    for (const { firstChild: text } of this.#element.children) {
      const length = text instanceof Text ? text.length : 0;
      if (text instanceof Text && start >= begin && end <= begin + length) {
        const range = document.createRange();
        range.setStart(text, start - begin);
        range.setEnd(text, end - begin);
        return range;
      }
      begin += length + 1;
    }
    return undefined;
  }

  /**
   * Where in the text a place of the page is; -1: it is none of it.
   * @param {Node} node
   * @param {number} offset
   */
  offsetAt(node, offset) {
    let begin = 0;
    for (const line of this.#element.children) {
      const text = line.firstChild;
      if (text === node) return begin + offset;
      begin += (text instanceof Text ? text.length : 0) + 1;
    }
    return -1;
  }

  /**
   * @param {Element} line
   * @param {string} text
   */
  #extend(line, text) {
    if (!text) return;
    if (line.firstChild instanceof Text) line.firstChild.appendData(text);
    else line.replaceChildren(text);
  }

  /** The <br> keeps an empty line as high as a full one, and gives it to whoever selects and copies. */
  #newLine() {
    const line = document.createElement('div');
    line.append(document.createElement('br'));
    return this.#element.appendChild(line);
  }
}
