/**
 * The translation on the page, growing at its end. One block per line, so that the browser lays out again only the line that
 * grows and not a whole book; and at most once a frame.
 */
export class TargetText {
  #element;
  #value = '';
  #unshown = '';
  #frame = 0;

  /** @param {HTMLElement} element */
  constructor(element) {
    this.#element = element;
  }

  /** The text as it was translated, whatever of it is on the screen yet. */
  get value() {
    return this.#value;
  }

  /** The old text stays on the screen, dimmed, until the new one begins: an empty box would flicker at every key. */
  expectNew() {
    this.#show();
    this.#element.classList.add('stale');
  }

  /** @param {string} piece */
  append(piece) {
    if (this.#element.classList.contains('stale')) this.clear();
    this.#value += piece;
    this.#unshown += piece;
    this.#frame ||= requestAnimationFrame(() => this.#show());
  }

  clear() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#value = '';
    this.#unshown = '';
    this.#element.classList.remove('stale');
    this.#element.replaceChildren();
  }

  /** Puts everything on the screen now. A hidden tab has no frames, and a test or a screen reader should not wait for one. */
  finish() {
    if (this.#element.classList.contains('stale')) this.clear();
    this.#show();
  }

  #show() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const [rest, ...lines] = this.#unshown.split('\n');
    this.#unshown = '';
    if (rest) this.#extend(this.#element.lastElementChild ?? this.#newLine(), rest);
    for (const line of lines) {
      if (!this.#element.hasChildNodes()) this.#newLine();
      this.#extend(this.#newLine(), line);
    }
  }

  #extend(line, text) {
    if (!text) return;
    // One text node a line: the <br> of a line that was empty goes.
    line.textContent = line.textContent + text;
  }

  /** The <br> keeps an empty line as high as a full one, and gives it to whoever selects and copies. */
  #newLine() {
    const line = document.createElement('div');
    line.append(document.createElement('br'));
    return this.#element.appendChild(line);
  }
}
