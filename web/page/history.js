/**
 * What was translated, kept in this browser only, the latest first. The visitor can erase it, or have none.
 *
 * @typedef {{text: string, translation: string, from: string, to: string, time: number}} Entry time: milliseconds since 1970
 */
const KEY = 'dragoman history';
const OFF = 'dragoman no history';
const MOST = 100;
// Longer texts are files rather than something to come back to; it also keeps all of them within what browsers allow.
const LONGEST = 10_000;
// A text that has not changed for so long is one that the visitor meant.
const SETTLED_MS = 2000;

export class History {
  /** @type {Entry | undefined} */
  #unsettled;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** Told when the list has changed. */
  onChange = () => {};

  constructor() {
    // Another tab's.
    addEventListener('storage', ({ key }) => (key === KEY || key === OFF) && this.onChange());
  }

  /** @returns {Entry[]} */
  get entries() {
    try {
      return JSON.parse(localStorage.getItem(KEY) ?? '[]').filter(isEntry);
    } catch {
      // Blocked storage, or a list of another version.
      return [];
    }
  }

  get isKept() {
    try {
      return localStorage.getItem(OFF) === null;
    } catch {
      return false;
    }
  }

  /** Without a history, what was kept is erased, too. */
  set isKept(kept) {
    try {
      if (kept) localStorage.removeItem(OFF);
      else localStorage.setItem(OFF, 'yes');
    } catch {
      // Blocked storage keeps nothing anyway.
    }
    if (kept) this.onChange();
    else this.erase();
  }

  /**
   * A translation is there; it is kept when the visitor has left it for a while, or goes on to another.
   * @param {Entry} entry
   */
  note(entry) {
    if (this.#unsettled && !continues(this.#unsettled, entry)) this.settle();
    clearTimeout(this.#timer);
    this.#unsettled = entry;
    this.#timer = setTimeout(() => this.settle(), SETTLED_MS);
  }

  /** Keeps what was noted last, now. */
  settle() {
    clearTimeout(this.#timer);
    const entry = this.#unsettled;
    this.#unsettled = undefined;
    if (!entry || !this.isKept || !entry.text.trim() || entry.text.length > LONGEST) return;
    const [latest, ...older] = this.entries;
    // While somebody types on, the latest grows.
    const others = (latest && !continues(latest, entry) ? [latest, ...older] : older).filter((other) => !isSame(other, entry));
    this.#write([entry, ...others].slice(0, MOST));
  }

  /** @param {Entry} [entry] all of them, if none is given */
  erase(entry) {
    clearTimeout(this.#timer);
    this.#unsettled = undefined;
    this.#write(entry ? this.entries.filter((other) => !isSame(other, entry)) : []);
  }

  /** @param {Entry[]} entries */
  #write(entries) {
    try {
      if (entries.length > 0) localStorage.setItem(KEY, JSON.stringify(entries));
      else localStorage.removeItem(KEY);
    } catch (error) {
      console.warn('Dragoman: the history cannot be kept.', error);
    }
    this.onChange();
  }
}

/** @param {any} value whatever was stored */
function isEntry(value) {
  return ['text', 'translation', 'from', 'to'].every((key) => typeof value?.[key] === 'string') && typeof value.time === 'number';
}

/**
 * @param {Entry} a
 * @param {Entry} b
 */
function isSame(a, b) {
  return a.text === b.text && a.from === b.from && a.to === b.to;
}

/**
 * Whether one text is the other, typed on or taken back.
 * @param {Entry} a
 * @param {Entry} b
 */
function continues(a, b) {
  return a.from === b.from && a.to === b.to && (a.text.startsWith(b.text) || b.text.startsWith(a.text));
}
