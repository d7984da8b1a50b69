/** An attribute that people read or hear, as a text to translate. */
export class AttributeText {
  #attribute;
  #original;
  #blanks;
  #translated;

  /**
   * @param {Element} element
   * @param {Attr} attribute
   */
  constructor(element, attribute) {
    this.element = element;
    this.#attribute = attribute;
    this.#translated = this.#original = attribute.value;
    const [, before, middle, after] = /** @type {string[]} */ (/^(\s*)(.*?)(\s*)$/su.exec(attribute.value));
    this.#blanks = [before, after];
    this.text = middle.replace(/\s+/gu, ' ');
    this.hasWords = /\p{L}/u.test(middle);
    this.hasMarks = false;
    /** @type {Node[]} */
    this.parts = [attribute];
  }

  /** Whether the page has left it as it is. */
  get untouched() {
    return this.#attribute.value === this.#translated;
  }

  /** @param {string} translation of text */
  put(translation) {
    const [before, after] = this.#blanks;
    this.#translated = before + translation + after;
    this.#attribute.value = this.#translated;
  }

  restore() {
    if (this.untouched) this.#attribute.value = this.#original;
  }
}
