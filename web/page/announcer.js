import { language, message } from './messages.js';

// A screen reader hears the translation once, when the visitor has paused, and not at every word.
const AFTER_MS = 1000;
const AT_MOST = 400;

/** What screen readers say without being asked. */
export class Announcer {
  #box;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** @param {HTMLElement} box */
  constructor(box) {
    this.#box = box;
  }

  /**
   * In a while, unless something else is to be said before.
   * @param {() => string} text that is a translation, or that it is there, if it is long
   * @param {string} itsLanguage
   */
  later(text, itsLanguage) {
    this.cancel();
    this.#timer = setTimeout(() => {
      if (text().length > AT_MOST) this.#say(message('complete'), language);
      else this.#say(text(), itsLanguage);
    }, AFTER_MS);
  }

  /**
   * At once, for who cannot see what a key has done.
   * @param {string} text
   */
  now(text) {
    this.cancel();
    this.#say(text, language);
  }

  cancel() {
    clearTimeout(this.#timer);
  }

  /**
   * @param {string} text
   * @param {string} itsLanguage
   */
  #say(text, itsLanguage) {
    this.#box.lang = itsLanguage;
    this.#box.textContent = text;
  }
}
