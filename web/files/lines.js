import { Inline } from './inline.js';

/** @typedef {import('./parts.js').Part} Part */

// Wrapped at a column: no line is longer than this.
const WIDEST = 120;
const NARROWEST = 40;
const ITEM = /^\s*(?:[-*•+o–] |\(?(?:\d+|[a-z])[.)] )/;
// Columns, or a drawing.
const TABLE = /\S(?: {3,}|\t)\S|[|_=*#~+-]{4,}/;

/**
 * Plain prose: what is between two ends of a line is a segment, unless the line ends only because it was full. Then the sentence goes
 * on, and the end of the line keeps its place among the words.
 * @param {string} text
 * @param {Reading} [reading]
 * @returns {Part[]}
 *
 * @typedef {object} Reading
 * @property {(characters: string, into: Inline) => void} [prose] adds prose that has more than characters in it
 * @property {(before: string, behind: string) => boolean} [goesOn] whether what is before the end of a line goes on behind it
 */
export function linesToParts(text, { prose = (characters, into) => into.text(characters), goesOn = wrapping(text) } = {}) {
  const pieces = text.split(/(\r\n|\r|\n)/);
  /** @type {Part[]} */
  const parts = [];
  for (let i = 0; i < pieces.length; i += 2) {
    let last = i;
    while (pieces[last + 2] !== undefined && goesOn(pieces[last], pieces[last + 2])) last += 2;
    parts.push(...paragraph(pieces.slice(i, last + 1), prose));
    if (pieces[last + 1]) parts.push(pieces[last + 1]);
    i = last;
  }
  return parts;
}

/**
 * @param {string[]} pieces lines, and ends of lines between them
 * @param {NonNullable<Reading['prose']>} prose
 * @returns {Part[]}
 */
function paragraph(pieces, prose) {
  const whole = pieces.join('');
  const source = whole.trim();
  const inline = new Inline();
  addLines(source, inline, (line) => prose(line, inline));
  if (!inline.hasWords) return [whole];
  const lead = whole.length - whole.trimStart().length;
  const render = (/** @type {string} */ translation) => joinLines(inline.write(translation, (characters) => characters));
  return [whole.slice(0, lead), { source, html: inline.html, render }, whole.slice(lead + source.length)];
}

/**
 * Adds lines of one sentence: with the end of a line go the blanks around it, and whatever else every line begins with.
 * @param {string} text
 * @param {Inline} inline
 * @param {(line: string) => void} add
 * @param {RegExp} [margin]
 */
export function addLines(text, inline, add, margin = /^\s*/) {
  const pieces = text.split(/(\r\n|\r|\n)/);
  let end = '';
  for (let i = 0; i < pieces.length; i += 2) {
    const begin = i === 0 ? '' : (margin.exec(pieces[i])?.[0] ?? '');
    if (i > 0) addBreak(end + begin, inline);
    const line = pieces[i].slice(begin.length);
    const content = i + 1 < pieces.length ? line.trimEnd() : line;
    add(content);
    end = line.slice(content.length) + (pieces[i + 1] ?? '');
  }
}

// Of what is written: an end of a line that stands between words. Unicode keeps these two for such use; no text has them.
const [BEGIN, END] = ['\ufdd0', '\ufdd1'];

/**
 * @param {string} written
 * @param {Inline} inline
 */
export function addBreak(written, inline) {
  inline.text(' ');
  inline.point(BEGIN + written + END);
}

/**
 * The ends of lines as they were; where the words between two of them are gone, there is one less.
 * @param {string} text
 */
export function joinLines(text) {
  const lines = text.split(/\ufdd0([^\ufdd1]*)\ufdd1/);
  let joined = lines[0];
  for (let i = 1; i < lines.length; i += 2) {
    const next = lines[i + 1].trimStart();
    if (next) joined = joined.trim() ? joined.trimEnd() + lines[i] + next : next;
  }
  return joined;
}

/**
 * @param {string} text
 * @returns {(before: string, behind: string) => boolean} whether a line was full: the next word would not have fitted
 */
function wrapping(text) {
  let width = 0;
  for (const line of text.split(/[\r\n]+/)) width = Math.max(width, line.trimEnd().length);
  return (before, behind) => {
    if (width > WIDEST || width < NARROWEST || !before.trim() || !behind.trim()) return false;
    // What ends a sentence ends a segment: the shorter it is, the better it can be aligned and kept.
    if (/[.!?:]["'”’»)]*\s*$/.test(before) && !/^\s*\p{Ll}/u.test(behind)) return false;
    if (ITEM.test(behind) || TABLE.test(before.trim()) || TABLE.test(behind.trim())) return false;
    const indent = behind.length - behind.trimStart().length;
    const own = /** @type {RegExpExecArray} */ (/^\s*/.exec(before))[0].length;
    const text = own + (ITEM.exec(before.slice(own))?.[0].length ?? 0);
    // The first line of a paragraph may begin further in.
    if (indent !== own && indent !== text && !(own > indent && own - indent <= 8 && !ITEM.test(before))) return false;
    const [word] = /** @type {RegExpExecArray} */ (/\S+/.exec(behind));
    return before.trimEnd().length + 1 + word.length > width * 0.9;
  };
}
