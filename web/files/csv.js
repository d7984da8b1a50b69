import { dataError } from './errors.js';
import { linesToParts } from './lines.js';
import { textDocument } from './text-document.js';

/** @typedef {import('./parts.js').Part} Part */

/** Cells, separated by comma, semicolon or tab, as RFC 4180 quotes them. @param {Uint8Array} bytes */
export function read(bytes) {
  return textDocument(bytes, (text) => {
    const separator = separatorOf(text);
    return [...cells(text, separator)].flatMap(({ cell, end }) => [cellPart(cell, separator), end]);
  });
}

/**
 * The one of which the first lines, quotations aside, have the same number; else the most.
 * @param {string} text
 */
function separatorOf(text) {
  const lines = text
    .slice(0, 20_000)
    .replace(/"(?:[^"]|"")*"/g, '')
    .split(/[\r\n]+/)
    .slice(0, 20)
    .filter((line) => line);
  const score = (/** @type {string} */ separator) => {
    const counts = lines.map((line) => line.split(separator).length - 1);
    return Math.min(...counts) * 1000 + counts.reduce((sum, count) => sum + count, 0);
  };
  return lines.length === 0 ? ',' : [',', ';', '\t'].reduce((best, one) => (score(one) > score(best) ? one : best));
}

/**
 * @param {string} text
 * @param {string} separator
 * @returns {Generator<{cell: string, end: string}>} as they are written, each with what ends it
 */
function* cells(text, separator) {
  const pattern = new RegExp(
    `("[^"]*(?:""[^"]*)*"[^${separator}\\r\\n]*|[^"${separator}\\r\\n][^${separator}\\r\\n]*|)(${separator}|\\r\\n|\\r|\\n|$)`,
    'y',
  );
  while (pattern.lastIndex < text.length) {
    const found = pattern.exec(text);
    if (!found) throw dataError('A quotation mark in the file is never closed.');
    yield { cell: found[1], end: found[2] };
  }
}

/**
 * @param {string} cell
 * @param {string} separator
 * @returns {Part}
 */
function cellPart(cell, separator) {
  const [, quoted] = /^"([\s\S]*)"\s*$/.exec(cell) ?? [];
  const value = quoted?.replaceAll('""', '"') ?? cell;
  // One word with a digit or a sign in it is a key, an address, a number with its unit: no prose.
  if (!/\s/.test(value) && /[\d_@/\\:=#.<>{}]/.test(value)) return cell;
  const quote = (/** @type {string} */ text) =>
    quoted !== undefined || text.includes('"') || text.includes(separator) ? `"${text.replaceAll('"', '""')}"` : text;
  return { source: cell, parts: linesToParts(value), wrap: quote };
}
