/** What else a sentence might have become, offered below its translation. A choice changes places with what is shown. */
export class OtherTranslations {
  #element;
  #list;
  #target;
  #onChoice;

  /**
   * @param {HTMLElement} element holds a label and the list
   * @param {import('./target-text.js').TargetText} target
   * @param {() => void} onChoice
   */
  constructor(element, target, onChoice) {
    this.#element = element;
    this.#list = /** @type {HTMLElement} */ (element.querySelector('ul'));
    this.#target = target;
    this.#onChoice = onChoice;
  }

  /** Those of the last text step back until the new ones are there: the page would jump at every key. */
  expectNew() {
    this.#element.inert = true;
  }

  /**
   * @param {string[]} texts those that differ from another one in punctuation or capitals alone are left out
   * @param {string} language
   */
  show(texts, language) {
    const seen = new Set([wording(this.#target.value)]);
    const others = texts.filter((text) => !seen.has(wording(text)) && seen.add(wording(text)));
    this.#list.replaceChildren(...others.map((text) => this.#item(text)));
    this.#list.lang = language;
    this.#element.inert = false;
    this.#element.hidden = others.length === 0;
  }

  /** @param {string} text */
  #item(text) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'text-button';
    button.textContent = text;
    button.addEventListener('click', () => {
      const shown = this.#target.value.trim();
      this.#target.clear();
      this.#target.append(button.textContent);
      button.textContent = shown;
      this.#onChoice();
    });
    const item = document.createElement('li');
    item.append(button);
    return item;
  }
}

/** @param {string} text */
function wording(text) {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim();
}
