import { pairs } from './pairs.js';

/**
 * Adds text that has tags in it, and other things that are not to be translated.
 * @param {string} text
 * @param {import('./inline.js').Inline} inline
 * @param {object} [how]
 * @param {RegExp} [how.placeholder] what is a word of the sentence, but not to be translated
 * @param {RegExp} [how.point] what else is no word
 * @param {(written: string) => void} [how.text] adds what is between those
 */
export function addMarkedText(
  text,
  inline,
  { placeholder = NEVER, point = NEVER, text: add = (written) => inline.text(written) } = {},
) {
  const pieces = text.split(new RegExp(`(${TAG.source}|${point.source}|${placeholder.source})`, 'i'));
  const ends = pairs(pieces.map((piece) => (isAll(TAG, piece) ? piece : '')));
  for (const [index, piece] of pieces.entries()) {
    const end = ends.get(index);
    if (index % 2 === 0) add(piece);
    else if (end === 'end') inline.close();
    else if (end) inline.open({ open: piece, close: end });
    else if (isAll(placeholder, piece)) inline.protect(piece, piece);
    else inline.point(piece);
  }
}

const NEVER = /(?!)/;
const TAG = /<\/?[a-z][^<>]*>/;

/**
 * @param {RegExp} pattern
 * @param {string} text
 */
function isAll(pattern, text) {
  return new RegExp(`^(?:${pattern.source})$`, 'i').test(text);
}
