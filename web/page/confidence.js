import { message, percent } from './messages.js';

/**
 * Marks the words of the translation that the model was not sure of, when the visitor wants that: the less sure, the plainer.
 * Dots and waves, not colours alone; who sees neither gets the words with their figures.
 *
 * @typedef {import('../engine/scores.js').Scores} Scores
 */

const KEY = 'dragoman confidence';
/** Highlights by name, and below which probability a word has them. */
const LEVELS = { 'doubt-much': 0.35, 'doubt-some': 0.65 };
// More figures than these nobody reads.
const MOST_TOLD = 6;

export class Confidence {
  #button;
  #target;
  #note;

  /**
   * @param {HTMLButtonElement} button
   * @param {import('./target-text.js').TargetText} target
   * @param {HTMLElement} note
   * @param {() => void} onChange the visitor wants it, or does not any more
   */
  constructor(button, target, note, onChange) {
    this.#button = button;
    this.#target = target;
    this.#note = note;
    button.ariaPressed = String(isKept());
    button.hidden = !('highlights' in CSS);
    button.addEventListener('click', () => {
      button.ariaPressed = String(!this.isOn);
      keep(this.isOn);
      onChange();
    });
  }

  get isOn() {
    return this.#button.ariaPressed === 'true';
  }

  /** @param {Scores | undefined} scores of what is shown; none while it changes */
  set scores(scores) {
    if (!('highlights' in CSS)) return;
    for (const name of Object.keys(LEVELS)) CSS.highlights.delete(name);
    this.#note.hidden = !scores || !this.isOn;
    if (!scores || !this.isOn) return;
    const words = scores.words.map(([start, end, score]) => ({ start, end, probability: Math.exp(score) }));
    let above = 0;
    for (const [name, limit] of Object.entries(LEVELS)) {
      const doubtful = words.filter(({ probability }) => probability >= above && probability < limit);
      const ranges = doubtful.map(({ start, end }) => this.#target.range(start, end)).filter((range) => range !== undefined);
      if (ranges.length > 0) CSS.highlights.set(name, new Highlight(...ranges));
      above = limit;
    }
    const doubtful = words.filter(({ probability }) => probability < above).sort((a, b) => a.probability - b.probability);
    const told = doubtful.slice(0, MOST_TOLD).map(({ start, end, probability }) => {
      return `${this.#target.value.slice(start, end)} ${percent(probability)}`;
    });
    this.#note.textContent = told.length > 0 ? message('doubts', { words: told.join(', ') }) : message('noDoubts');
  }
}

function isKept() {
  try {
    return sessionStorage.getItem(KEY) !== null;
  } catch {
    return false;
  }
}

/** @param {boolean} on */
function keep(on) {
  try {
    if (on) sessionStorage.setItem(KEY, 'on');
    else sessionStorage.removeItem(KEY);
  } catch {
    // It is off after a reload, then.
  }
}
