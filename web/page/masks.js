import { colour } from './heat-map.js';

/**
 * The two masks that every introduction to the Transformer draws, of the sentences that are shown.
 *
 * @typedef {import('./drawing.js').Drawing} Drawing
 * @typedef {import('./heat-map.js').Palette} Palette
 */

const CELL = 14;
// More do not fit beside each other, and say nothing new.
const MOST_ROWS = 12;
const MOST_COLUMNS = 32;

/**
 * What a piece may look at while a translation is written: itself and those before it.
 * @param {number} pieces
 * @param {Palette} colours
 */
export function causalMask(pieces, colours) {
  const size = Math.min(pieces, MOST_ROWS);
  return grid(size, size, (row, column) => column <= row, colours);
}

/**
 * Sentences of different length side by side: what is behind a sentence's end is padding.
 * @param {number[]} lengths in pieces
 * @param {Palette} colours
 */
export function paddingMask(lengths, colours) {
  const rows = lengths.slice(0, MOST_ROWS);
  const columns = Math.min(Math.max(0, ...rows), MOST_COLUMNS);
  return grid(rows.length, columns, (row, column) => column < rows[row], colours);
}

/**
 * @param {number} rows
 * @param {number} columns
 * @param {(row: number, column: number) => boolean} isSeen
 * @param {Palette} colours
 * @returns {Drawing}
 */
function grid(rows, columns, isSeen, { ground, masked, scale }) {
  /** @type {Drawing['shapes']} */
  const shapes = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const [x, y] = [column * CELL, row * CELL];
      const seen = isSeen(row, column);
      shapes.push({ x, y, width: CELL - 1, height: CELL - 1, fill: colour(seen ? 0.6 : 0, scale) });
      // A mark and not only a colour.
      if (!seen) shapes.push({ x1: x + 2, y1: y + CELL - 3, x2: x + CELL - 3, y2: y + 2, stroke: masked });
    }
  }
  return { width: columns * CELL, height: rows * CELL, ground, shapes };
}
