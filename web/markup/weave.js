/**
 * Puts the marks of a section into its translation: each goes with its words. What holds for any translation and any alignment:
 * each mark is there once, they nest as they did, and the text between them is the translation; but that placeholders are gone.
 *
 * @template T
 * @typedef {import('./section.js').Mark<T>} Mark
 */

/**
 * @template T
 * @typedef {import('./section.js').Section<T>} Section
 */

/**
 * @template T
 * @typedef {string | {what: T | string, content: Woven<T>[]}} Woven text, or a mark and what it holds now
 */

/**
 * The words of a text and of its translation: ranges of UTF-16 units, and which stand for which.
 * @typedef {{source: [number, number][], target: [number, number][], links: [number, number, number][]}} Words
 */

/**
 * @template T
 * @typedef {object} Word of the translation
 * @property {number} start
 * @property {number} end
 * @property {number} from where in the source text the word is that it stands for; -1: nobody knows
 * @property {Mark<T>[]} marks that hold that word, from the outermost inwards
 * @property {boolean} isPlaceholder it is one, of which no text remains
 */

/**
 * @template T
 * @typedef {Pick<Word<T>, 'from' | 'marks'>} Label
 */

/**
 * @template T
 * @param {Section<T>} section
 * @param {string} translation of section.text
 * @param {Words} words
 * @returns {Woven<T>[]}
 */
export function weave(section, translation, words) {
  const weaver = new Weaver(section.text, translation, labelled(section, translation, words));
  return weaver.level(section.marks, { first: 0, last: weaver.words.length, start: 0, end: translation.length });
}

/**
 * The words of the translation, and which marks hold what they stand for.
 * @template T
 * @param {Section<T>} section
 * @param {string} translation
 * @param {Words} words
 * @returns {Word<T>[]}
 */
function labelled({ marks }, translation, { source, target, links }) {
  /** @type {([number, number, number] | undefined)[]} */
  const best = [];
  for (const link of links) if (link[2] > (best[link[1]]?.[2] ?? -1)) best[link[1]] = link;
  /** @type {Map<string, Label<T>>} */
  const placeholders = new Map();
  forAll(marks, [], (mark, path) => {
    if (mark.placeholder !== undefined) placeholders.set(mark.placeholder, { from: mark.start, marks: path });
  });
  // Longest first: none is found in another. They are no part of the source, so that they are nothing else.
  const known = [...placeholders.keys()].sort((a, b) => b.length - a.length).join('|');
  const found = new Set();
  /** @type {Word<T>[]} */
  const result = [];
  target.forEach(([start, end], index) => {
    const link = best[index];
    const [from, to] = link ? source[link[0]] : [-1, -1];
    const label = { from, marks: link ? pathTo(marks, from, to) : [], isPlaceholder: false };
    let at = start;
    // A placeholder may be part of a word.
    for (const { 0: text, index: offset } of known ? translation.slice(start, end).matchAll(new RegExp(known, 'g')) : []) {
      const begin = start + offset;
      if (begin > at) result.push({ start: at, end: begin, ...label });
      at = begin + text.length;
      // A second copy stands for nothing.
      const own = found.has(text) ? { from: -1, marks: [] } : /** @type {Label<T>} */ (placeholders.get(text));
      result.push({ start: begin, end: at, ...own, isPlaceholder: true });
      found.add(text);
    }
    if (at < end) result.push({ start: at, end, ...label });
  });
  // Where the placeholder came through, no other word stands for it.
  for (const word of result) {
    const inner = word.marks.at(-1)?.placeholder;
    if (inner !== undefined && found.has(inner) && !word.isPlaceholder) {
      Object.assign(word, { from: -1, marks: [] });
    }
  }
  return result;
}

/**
 * @template T
 * @param {Mark<T>[]} marks
 * @param {Mark<T>[]} above
 * @param {(mark: Mark<T>, path: Mark<T>[]) => void} each
 */
function forAll(marks, above, each) {
  for (const mark of marks) {
    const path = [...above, mark];
    each(mark, path);
    forAll(mark.children, path, each);
  }
}

/**
 * The marks that hold most of the source word.
 * @template T
 * @param {Mark<T>[]} marks
 * @param {number} start
 * @param {number} end
 */
function pathTo(marks, start, end) {
  /** @type {Mark<T>[]} */
  const path = [];
  for (let level = marks; ; ) {
    const mark = level.find((one) => 2 * (Math.min(end, one.end) - Math.max(start, one.start)) > end - start);
    if (!mark) return path;
    path.push(mark);
    level = mark.children;
  }
}

/**
 * Words first ... last - 1 and the characters that hold them.
 * @typedef {{first: number, last: number, start: number, end: number}} Span
 */

/** @template T */
class Weaver {
  #source;
  #translation;
  #placeholders;

  /**
   * @param {string} source
   * @param {string} translation
   * @param {Word<T>[]} words
   */
  constructor(source, translation, words) {
    this.#source = source;
    this.#translation = translation;
    this.words = words;
    this.#placeholders = words.filter((word) => word.isPlaceholder);
  }

  /**
   * Marks side by side, and the text around them, within a span.
   * @param {Mark<T>[]} marks
   * @param {Span} span
   * @returns {Woven<T>[]}
   */
  level(marks, span) {
    const places = this.#places(marks, span.first, span.last);
    // Where nothing else decides, they keep their order.
    const order = [...marks].sort((a, b) => compare(places.get(a), places.get(b)));
    /** @type {Woven<T>[]} */
    const woven = [];
    let at = span.start;
    const text = (/** @type {number} */ to) => {
      const piece = this.#text(at, to);
      if (piece) woven.push(piece);
      at = to;
    };
    for (const mark of order) {
      const { first, last } = /** @type {Place} */ (places.get(mark));
      const place = this.#characters(mark, first, last, span);
      const start = Math.max(place[0], at);
      const end = Math.max(place[1], start);
      text(start);
      const lost = mark.placeholder !== undefined && start === end;
      if (lost && isWord(this.#translation[start - 1])) woven.push(' ');
      const inner = { first, last, start, end };
      woven.push({ what: mark.what, content: mark.placeholder === undefined ? this.level(mark.children, inner) : [] });
      if (lost && isWord(this.#translation[end])) woven.push(' ');
      at = end;
    }
    text(span.end);
    return woven;
  }

  /**
   * @typedef {{first: number, last: number}} Place words first ... last - 1; none, where it holds nothing
   *
   * Which words each mark holds now: those that stand for its own, as far as they are side by side.
   * @param {Mark<T>[]} marks
   * @param {number} first
   * @param {number} last
   */
  #places(marks, first, last) {
    /** @type {Map<Mark<T>, Place>} */
    const places = new Map();
    /** Which mark holds a word already. @type {(Mark<T> | undefined)[]} */
    const taken = new Array(last - first);
    const take = (/** @type {Mark<T>} */ mark, /** @type {Place} */ place) => {
      taken.fill(mark, place.first - first, place.last - first);
      places.set(mark, place);
    };
    /** @type {Map<Mark<T>, number[]>} */
    const own = new Map(marks.map((mark) => [mark, []]));
    for (let i = first; i < last; i++) for (const mark of this.words[i].marks) own.get(mark)?.push(i);
    const count = (/** @type {Mark<T>} */ mark) => own.get(mark)?.length ?? 0;
    const importance = (/** @type {Mark<T>} */ mark) => (mark.placeholder === undefined ? 0 : 2) + (isOpen(mark) ? 1 : 0);
    const byNeed = marks.filter((mark) => count(mark) > 0 || isOpen(mark));
    byNeed.sort((a, b) => importance(b) - importance(a) || count(b) - count(a));
    for (const mark of byNeed) {
      const place = this.#run(mark, own.get(mark) ?? [], { first, last }, (i) => taken[i - first] === undefined);
      if (place) take(mark, place);
    }
    for (const mark of marks) {
      if (places.has(mark)) continue;
      const at = this.#boundary(mark, first, last, taken);
      // What has words should show one, if there is one that nobody needs.
      const free = (/** @type {number} */ i) =>
        first <= i && i < last && taken[i - first] === undefined && this.words[i].from < 0 && /[\p{L}\p{N}]/u.test(this.#word(i));
      const spare = mark.end > mark.start ? [at, at - 1].find(free) : undefined;
      take(mark, spare === undefined ? { first: at, last: at } : { first: spare, last: spare + 1 });
    }
    return places;
  }

  /**
   * The stretch of free words with the most words of the mark beyond others; undefined if it has none.
   * @param {Mark<T>} mark
   * @param {number[]} own the mark's words, in order
   * @param {Place} within
   * @param {(i: number) => boolean} isFree
   * @returns {Place | undefined}
   */
  #run(mark, own, { first, last }, isFree) {
    const gain = (/** @type {number} */ i) => {
      const word = this.words[i];
      if (word.marks.includes(mark)) return word.isPlaceholder ? 3 : 1;
      return word.from < 0 ? -0.01 : -1;
    };
    if (mark.fromStart && mark.toEnd) return { first, last };
    if (isOpen(mark)) {
      // It must reach that end.
      const step = mark.fromStart ? 1 : -1;
      let at = mark.fromStart ? first : last;
      let [best, sum, most] = [at, 0, 0];
      for (let i = step > 0 ? at : at - 1; first <= i && i < last && isFree(i); i += step) {
        sum += gain(i);
        at = step > 0 ? i + 1 : i;
        if (sum > most) [best, most] = [at, sum];
      }
      return mark.fromStart ? { first, last: best } : { first: best, last };
    }
    /** @type {Place | undefined} */
    let found;
    let [begin, sum, most] = [-1, 0, 0];
    for (let i = own[0]; i <= own[own.length - 1]; i++) {
      if (!isFree(i)) {
        [begin, sum] = [-1, 0];
        continue;
      }
      if (sum <= 0) [begin, sum] = [i, 0];
      sum += gain(i);
      if (sum > most) {
        most = sum;
        found = { first: begin, last: i + 1 };
      }
    }
    return found;
  }

  /**
   * Between which words something belongs that has no words: where the fewest stand on the wrong side of it.
   * @param {Mark<T>} mark
   * @param {number} first
   * @param {number} last
   * @param {(Mark<T> | undefined)[]} taken
   */
  #boundary(mark, first, last, taken) {
    if (mark.fromStart || mark.toEnd) return mark.fromStart ? first : last;
    const isAfter = (/** @type {number} */ i) => this.words[i].from >= mark.start;
    let wrong = 0;
    for (let i = first; i < last; i++) if (this.words[i].from >= 0 && !isAfter(i)) wrong++;
    let [best, least] = [first, Number.POSITIVE_INFINITY];
    for (let at = first; at <= last; at++) {
      const before = taken[at - 1 - first];
      const within = at > first && at < last && before !== undefined && before === taken[at - first];
      // An element that goes on before or behind the section leaves no room there.
      const outside = (at === first && taken[0]?.fromStart) || (at === last && taken[last - 1 - first]?.toEnd);
      // The last of equals at the end of the text, the first one elsewhere.
      const better = mark.start >= this.#source.length ? wrong <= least : wrong < least;
      if (!within && !outside && better) [best, least] = [at, wrong];
      if (at < last && this.words[at].from >= 0) wrong += isAfter(at) ? 1 : -1;
    }
    return best;
  }

  /**
   * @param {Mark<T>} mark
   * @param {number} first
   * @param {number} last
   * @param {Span} span
   * @returns {[number, number]} characters
   */
  #characters(mark, first, last, span) {
    if (first < last || mark.fromStart || mark.toEnd) {
      const start = mark.fromStart ? span.start : first < last ? this.words[first].start : span.end;
      const end = mark.toEnd ? span.end : first < last ? this.words[last - 1].end : span.start;
      return [start, end];
    }
    // Before or behind the blank, as it was.
    const before = first > span.first ? this.words[first - 1].end : span.start;
    const behind = first < span.last ? this.words[first].start : span.end;
    const at = this.#source[mark.start - 1] === ' ' ? behind : before;
    return [at, at];
  }

  /** @param {number} i */
  #word(i) {
    return this.#translation.slice(this.words[i].start, this.words[i].end);
  }

  /**
   * @param {number} start
   * @param {number} end
   */
  #text(start, end) {
    let text = '';
    let at = start;
    for (const word of this.#placeholders) {
      if (word.start < at || word.end > end) continue;
      text += this.#translation.slice(at, word.start).replace(/ $/, '');
      at = word.end;
    }
    return text + this.#translation.slice(at, end);
  }
}

/** @param {Mark<any>} mark */
function isOpen(mark) {
  return mark.fromStart || mark.toEnd;
}

/** @param {string | undefined} c */
function isWord(c) {
  return c !== undefined && /[\p{L}\p{N}]/u.test(c);
}

/**
 * @param {Place | undefined} a
 * @param {Place | undefined} b
 */
function compare(a, b) {
  if (!a || !b) return 0;
  return a.first - b.first || a.last - b.last;
}
