import { FONT_SIZE, widthOf } from './drawing.js';

/**
 * How much each row looks at each column, as a picture. The colours of a scale differ in lightness above all, so that no kind of
 * colour blindness, and no printer, hides what they say.
 *
 * @typedef {{rows: string[], columns: string[], weights: number[][], most?: number}} Table weights: 0 to 1, of row and column;
 *   most: what the strongest colour stands for, 1 unless told
 * @typedef {{ground: string, ink: string, masked: string, scale: [number, number, number][]}} Palette scale: from nothing to all
 */

export const CELL = 26;

/** @type {Palette} */
export const LIGHT = {
  ground: '#ffffff',
  ink: '#1d1f1e',
  masked: '#9a9f9d',
  scale: [
    [242, 245, 246],
    [127, 178, 205],
    [18, 52, 96],
  ],
};

/** @type {Palette} */
export const DARK = {
  ground: '#1b1e21',
  ink: '#eceeed',
  masked: '#7b8285',
  scale: [
    [38, 43, 47],
    [52, 125, 158],
    [250, 244, 196],
  ],
};

export function palette() {
  return matchMedia('(prefers-color-scheme: dark)').matches ? DARK : LIGHT;
}

/**
 * Where the first cell is.
 * @param {Table} table
 */
export function origin({ rows, columns }) {
  const longest = (/** @type {string[]} */ labels) => Math.max(0, ...labels.map(widthOf));
  // Column labels lean: they need most of their length upwards, and some to the side.
  return { x: longest(rows) + 12, y: Math.ceil(longest(columns) * 0.77) + 18, overhang: Math.ceil(longest(columns) * 0.65) };
}

/**
 * @param {Table} table
 * @param {Palette} colours
 * @returns {import('./drawing.js').Drawing}
 */
export function heatMap(table, { ground, ink, scale }) {
  const { x, y, overhang } = origin(table);
  const { rows, columns, weights, most = 1 } = table;
  const right = x + columns.length * CELL;
  /** @type {import('./drawing.js').Drawing['shapes']} */
  const shapes = columns.map((text, i) => ({ x: x + (i + 0.6) * CELL, y: y - 6, text, fill: ink, turned: true }));
  for (const [row, text] of rows.entries()) {
    const top = y + row * CELL;
    shapes.push({ x: x - 8, y: top + CELL / 2 + FONT_SIZE / 3, text, fill: ink, anchor: 'end' });
    for (const [i, weight] of (weights[row] ?? []).entries()) {
      shapes.push({ x: x + i * CELL, y: top, width: CELL - 1, height: CELL - 1, fill: colour(weight / most, scale) });
    }
  }
  // The key to the colours.
  const bottom = y + rows.length * CELL + 14;
  for (let step = 0; step <= 10; step++) {
    shapes.push({ x: x + step * 12, y: bottom, width: 12, height: 10, fill: colour(step / 10, scale) });
  }
  shapes.push({ x: x - 8, y: bottom + 10, text: '0 %', fill: ink, anchor: 'end' });
  shapes.push({ x: x + 11 * 12 + 6, y: bottom + 10, text: `${Math.round(100 * most)} %`, fill: ink });
  const width = Math.max(right + overhang, x + 11 * 12 + 60);
  return { width, height: bottom + 22, ground, shapes };
}

/**
 * @param {number} weight 0 to 1
 * @param {Palette['scale']} scale
 */
export function colour(weight, scale) {
  const place = Math.min(1, Math.max(0, weight)) * (scale.length - 1);
  const low = Math.min(Math.floor(place), scale.length - 2);
  const mixed = scale[low].map((from, i) => Math.round(from + (scale[low + 1][i] - from) * (place - low)));
  return `rgb(${mixed.join(' ')})`;
}
