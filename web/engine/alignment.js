/**
 * Which part of a translation stands for which part of the text. Ranges are UTF-16 units, what `slice` counts in.
 *
 * @typedef {[start: number, end: number]} Range
 * @typedef {[source: number, target: number, weight: number]} Link indices of two parts that say the same, and how much of the
 *   target part's attention the source part has, 0 to 1
 *
 * @typedef {object} LinkedParts
 * @property {Range[]} source parts of the text, in order
 * @property {Range[]} target parts of the translation, in order
 * @property {Link[]} links by target, then source; a part may have none, or several
 *
 * @typedef {{sentences: LinkedParts, words: LinkedParts, pieces: LinkedParts}} Alignment pieces are what the model reads and
 *   writes: they tile the sentences
 *
 * @typedef {{source: Uint32Array, target: Uint32Array, links: Float64Array}} FlatParts as the core gives them
 */

/** @type {(keyof Alignment)[]} */
const KINDS = ['sentences', 'words', 'pieces'];

/**
 * @param {(kind: keyof Alignment) => LinkedParts} parts
 * @returns {Alignment}
 */
const ofEach = (parts) => /** @type {Alignment} */ (Object.fromEntries(KINDS.map((kind) => [kind, parts(kind)])));

/**
 * @template {number[]} T
 * @param {Uint32Array | Float64Array} numbers
 * @param {number} size
 * @returns {T[]}
 */
const chunks = (numbers, size) =>
  Array.from({ length: numbers.length / size }, (_, i) => /** @type {T} */ ([...numbers.subarray(i * size, (i + 1) * size)]));

/**
 * @param {Record<keyof Alignment, FlatParts>} flat
 * @returns {Alignment}
 */
export function fromFlat(flat) {
  return ofEach((kind) => {
    const { source, target, links } = flat[kind];
    return { source: chunks(source, 2), target: chunks(target, 2), links: chunks(links, 3) };
  });
}

/**
 * The alignment of a text that was translated by way of another language.
 * @param {Alignment} first from the text to the text between
 * @param {Alignment} second from there on
 */
export function chain(first, second) {
  return ofEach((kind) => {
    const { source, target: written, links } = first[kind];
    const { source: read, links: onward } = second[kind];
    /** @type {Link[][]} */
    const from = read.map(() => []);
    for (const link of onward) from[link[0]].push(link);
    /** @type {Map<string, Link>} */
    const found = new Map();
    for (const [s, m, weight] of links) {
      const [start, end] = written[m];
      for (let n = firstPast(read, start); n < read.length && read[n][0] < end; n++) {
        for (const [, t, more] of from[n]) {
          const key = `${s} ${t}`;
          found.set(key, [s, t, Math.max(found.get(key)?.[2] ?? 0, weight * more)]);
        }
      }
    }
    return { source, target: second[kind].target, links: [...found.values()].sort((a, b) => a[1] - b[1] || a[0] - b[0]) };
  });
}

/**
 * @param {{alignment: Alignment, source: number, target: number}[]} stretches of a text and its translation, each with where it
 *   begins in both
 */
export function concatenate(stretches) {
  return ofEach((kind) => {
    /** @type {LinkedParts} */
    const all = { source: [], target: [], links: [] };
    for (const { alignment, source, target } of stretches) {
      const parts = alignment[kind];
      const [s, t] = [all.source.length, all.target.length];
      for (const [start, end] of parts.source) all.source.push([start + source, end + source]);
      for (const [start, end] of parts.target) all.target.push([start + target, end + target]);
      for (const [a, b, weight] of parts.links) all.links.push([a + s, b + t, weight]);
    }
    return all;
  });
}

/**
 * The first of ranges in order that ends behind a place.
 * @param {Range[]} ranges
 * @param {number} place
 */
function firstPast(ranges, place) {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranges[middle][1] > place) high = middle;
    else low = middle + 1;
  }
  return low;
}
