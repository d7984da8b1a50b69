/**
 * How sure the model was of the parts of a translation. Ranges are UTF-16 units, what `slice` counts in.
 *
 * @typedef {[start: number, end: number, logProbability: number]} Score a part of the translation and the natural logarithm of
 *   its probability, given all that stands before it: `Math.exp` makes 0 to 1 of it
 * @typedef {{sentences: Score[], words: Score[], pieces: Score[]}} Scores in order; what passed unchanged is certain
 *
 * @typedef {{target: Uint32Array, logProbabilities: Float64Array}} FlatScores as the core gives them
 */

/** @type {(keyof Scores)[]} */
const KINDS = ['sentences', 'words', 'pieces'];

/**
 * @param {(kind: keyof Scores) => Score[]} scores
 * @returns {Scores}
 */
const ofEach = (scores) => /** @type {Scores} */ (Object.fromEntries(KINDS.map((kind) => [kind, scores(kind)])));

/** @param {Record<keyof Scores, FlatScores>} flat */
export function fromFlat(flat) {
  return ofEach((kind) => {
    const { target, logProbabilities } = flat[kind];
    return Array.from(logProbabilities, (score, i) => [target[2 * i], target[2 * i + 1], score]);
  });
}

/** @param {{scores: Scores, target: number}[]} stretches of a translation, each with where it begins */
export function concatenate(stretches) {
  return ofEach((kind) =>
    stretches.flatMap(({ scores, target }) =>
      scores[kind].map(([start, end, score]) => /** @type {Score} */ ([start + target, end + target, score])),
    ),
  );
}
