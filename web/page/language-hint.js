import { LanguageDetector } from '../dragoman.js';
import { message } from './messages.js';

/**
 * Notices that the text is in another language than the one chosen, and offers that one. Only an offer: short texts deceive,
 * and nothing may change under the visitor's hands.
 */

// Below this the detector guesses.
const MIN_LENGTH = 20;
const MIN_CONFIDENCE = 0.8;

export class LanguageHint {
  #button;
  #menus;
  #onAccept;
  /** @type {Promise<LanguageDetector> | undefined} */
  #detector;
  #language = '';
  /** The look at a text. @type {AbortController | undefined} */
  #run;

  /**
   * @param {HTMLButtonElement} button
   * @param {import('./language-menus.js').LanguageMenus} menus
   * @param {(language: string) => void} onAccept
   */
  constructor(button, menus, onAccept) {
    this.#button = button;
    this.#menus = menus;
    this.#onAccept = onAccept;
    button.addEventListener('click', () => {
      this.hide();
      this.#onAccept(this.#language);
    });
  }

  /** And whatever is being considered is not the text any more. */
  hide() {
    this.#run?.abort();
    this.#button.hidden = true;
  }

  /** @param {string} text */
  async consider(text) {
    if (text.trim().length < MIN_LENGTH) return;
    this.#run = new AbortController();
    const { signal } = this.#run;
    try {
      const detector = await (this.#detector ??= LanguageDetector.create());
      const [{ detectedLanguage, confidence }] = await detector.detect(text, { signal });
      if (confidence < MIN_CONFIDENCE || detectedLanguage === this.#menus.from || !this.#menus.offers(detectedLanguage)) return;
      this.#language = detectedLanguage;
      this.#button.textContent = message('translateFrom', { language: this.#menus.name(detectedLanguage) });
      this.#button.hidden = false;
    } catch {
      // Without its tables there is no hint, and next time another attempt.
      if (!signal.aborted) this.#detector = undefined;
    }
  }
}
