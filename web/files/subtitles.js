import { dataError } from './errors.js';
import { Inline } from './inline.js';
import { addLines, joinLines } from './lines.js';
import { addMarkedText } from './marked-text.js';

/**
 * @typedef {import('./parts.js').Part} Part
 * @typedef {{decode?: (written: string) => string, encode?: (characters: string) => string}} How text is written
 */

const TIMING = /^\s*(?:\d+:)?\d+:\d+[.,]\d+[^\S\n]+-->[^\S\n]+(?:\d+:)?\d+:\d+[.,]\d+/;
// {\an8} says where SubRip's text stands, <00:01.500> when WebVTT's appears.
const POINT = /\{\\[^{}]*\}|<\d[\d:.]*>/;

/**
 * Cues: a line with two times, then lines of text up to an empty one. What stands between cues is kept.
 * @param {string} text
 * @param {How} [how]
 * @returns {Part[]}
 */
export function subtitleParts(text, how) {
  const pieces = text.split(/(\r\n|\r|\n)/);
  /** @type {Part[]} */
  const parts = [];
  let cues = 0;
  for (let i = 0; i < pieces.length; i += 2) {
    parts.push(pieces[i], pieces[i + 1] ?? '');
    if (!TIMING.test(pieces[i])) continue;
    cues++;
    for (let last; pieces[i + 2]?.trim() && !beginsCue(pieces, i + 2); i = last) {
      last = i + 2;
      // A dash: somebody else speaks.
      while (pieces[last + 2]?.trim() && !/^\s*[-–—]/.test(pieces[last + 2]) && !beginsCue(pieces, last + 2)) last += 2;
      parts.push(spoken(pieces.slice(i + 2, last + 1), how), pieces[last + 1] ?? '');
    }
  }
  if (cues === 0 && text.trim()) throw dataError('The file has no subtitles in it: no line with two times.');
  return parts;
}

/**
 * Where the empty line is missing, the number of the next cue and its times follow.
 * @param {string[]} pieces
 * @param {number} at
 */
function beginsCue(pieces, at) {
  return TIMING.test(pieces[at]) || (/^\d+$/.test(pieces[at].trim()) && TIMING.test(pieces[at + 2] ?? ''));
}

/**
 * @param {string[]} pieces lines, and ends of lines between them
 * @param {How} [how]
 * @returns {Part}
 */
function spoken(pieces, { decode = (written) => written, encode = (characters) => characters } = {}) {
  const source = pieces.join('');
  const lead = /** @type {RegExpExecArray} */ (/^\s*(?:[-–—]\s*)?/.exec(source))[0];
  const prose = source.slice(lead.length).trimEnd();
  const inline = new Inline();
  addMarkedText(prose, inline, {
    point: POINT,
    text: (piece) => addLines(piece, inline, (line) => inline.text(decode(line))),
  });
  if (!inline.hasWords) return source;
  const render = (/** @type {string} */ translation) =>
    lead + joinLines(inline.write(translation, encode)) + source.slice(lead.length + prose.length);
  return { source, html: inline.html, render };
}
