import { decode } from '../../web/markup/character-references.js';
import { tokenize } from '../../web/markup/tokens.js';

/** All that is not text, as it is written, sorted. @param {string} html */
export const tags = (html) =>
  tokenize(html)
    .filter(({ kind }) => kind !== 'text')
    .map((token) => token.html)
    .sort();

/** What is read. @param {string} html */
export const prose = (html) =>
  tokenize(html)
    .filter(({ kind }) => kind === 'text')
    .flatMap((token) => decode(token.html).map((part) => (typeof part === 'string' ? part : part.unknown)))
    .join('');
