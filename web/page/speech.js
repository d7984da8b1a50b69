import { message } from './messages.js';

/**
 * Reads a text aloud, where the device has a voice for its language. Voices that work on somebody's server are none: the text
 * would leave the device.
 */
export class ReadAloud {
  #button;
  #text;
  #language;
  #speaking = false;

  /**
   * @param {HTMLButtonElement} button
   * @param {() => string} text
   * @param {() => string} language
   */
  constructor(button, text, language) {
    this.#button = button;
    this.#text = text;
    this.#language = language;
    if (!('speechSynthesis' in globalThis)) return;
    button.addEventListener('click', () => (this.#speaking ? this.stop() : this.#speak()));
    // Browsers load their voices when first asked.
    speechSynthesis.addEventListener?.('voiceschanged', () => this.update());
    addEventListener('pagehide', () => this.stop());
  }

  /** There is another text, or another language. */
  update() {
    this.stop();
    this.#button.hidden = !this.#voice() || !/\p{L}/u.test(this.#text());
  }

  stop() {
    if (!this.#speaking) return;
    this.#show(false);
    speechSynthesis.cancel();
  }

  #speak() {
    speechSynthesis.cancel();
    // A line at a time: browsers cut what is long.
    const lines = this.#text()
      .split('\n')
      .filter((line) => line.trim());
    for (const [index, line] of lines.entries()) {
      const utterance = new SpeechSynthesisUtterance(line);
      utterance.voice = this.#voice() ?? null;
      utterance.lang = this.#language();
      utterance.onerror = () => this.stop();
      if (index === lines.length - 1) utterance.onend = () => this.#show(false);
      speechSynthesis.speak(utterance);
    }
    this.#show(true);
  }

  /** @param {boolean} speaking */
  #show(speaking) {
    this.#speaking = speaking;
    this.#button.textContent = message(speaking ? 'stopReading' : 'read');
  }

  #voice() {
    if (!('speechSynthesis' in globalThis)) return undefined;
    const language = this.#language();
    return speechSynthesis.getVoices().find(({ lang, localService }) => localService && lang.split(/[-_]/)[0] === language);
  }
}
