/**
 * @typedef {{tokens: number, sentences: number, sentencesDone: number, memory: number}} Statistics so far; of the wasm memory, bytes
 */

/**
 * Of texts together.
 * @param {(Statistics | undefined)[]} statistics
 * @returns {Statistics}
 */
export function sum(statistics) {
  const total = { tokens: 0, sentences: 0, sentencesDone: 0, memory: 0 };
  for (const counts of statistics) {
    if (!counts) continue;
    total.tokens += counts.tokens;
    total.sentences += counts.sentences;
    total.sentencesDone += counts.sentencesDone;
    total.memory = Math.max(total.memory, counts.memory);
  }
  return total;
}
