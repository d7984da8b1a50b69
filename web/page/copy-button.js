import { message } from './messages.js';

const SAID_MS = 2000;

/** Copies the translation. */
export class CopyButton {
  #button;
  #target;

  /**
   * @param {HTMLButtonElement} button
   * @param {import('./target-text.js').TargetText} target
   */
  constructor(button, target) {
    this.#button = button;
    this.#target = target;
    button.addEventListener('click', () => this.#copy());
  }

  /** There is something to copy, or not. */
  update() {
    this.#button.hidden = this.#target.value === '';
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(this.#target.value);
      this.#button.textContent = message('copied');
    } catch {
      // The browser refused the clipboard: select the text, so that the visitor's own Ctrl+C does it.
      getSelection()?.selectAllChildren(this.#target.element);
      this.#button.textContent = message('selected');
    }
    setTimeout(() => (this.#button.textContent = message('copy')), SAID_MS);
  }
}
