/**
 * The options of a call. The signal and the callbacks stay in the API; the rest becomes one record for the core, which goes
 * as it is through route, engine and worker to `engine.start(text, options)`: a new option is a field here, and its use there.
 *
 * @typedef {object} TranslateOptions
 * @property {AbortSignal} [signal]
 * @property {(statistics: import('../engine/engine.js').Statistics) => void} [onStatistics] extension: counts so far, told before
 *   each piece of text; `memory` is the wasm memory in bytes
 * @property {'text' | 'html'} [format] extension: html keeps every tag, and those within a sentence go with their words; a
 *   stream of it comes in whole paragraphs. Comments, `<code>`, `<pre>` and what is marked `translate="no"` stay as they are, and
 *   so do attributes
 * @property {number} [beam] extension: how many hypotheses the search keeps, 1 to 16; 4 unless told. 1, greedy search, takes a
 *   third of the time, for bulk that need not read as well
 * @property {number} [alternatives] extension: tell up to so many other translations of a text that is one sentence, 0 to 15;
 *   the search keeps one hypothesis more than that if its beam is narrower
 * @property {(alternatives: string[]) => void} [onAlternatives] extension: they were found, best first; told before the end
 * @property {boolean} [alignment] extension: find out which parts of the translation stand for which of the text
 * @property {(alignment: import('../engine/alignment.js').Alignment) => void} [onAlignment] extension: it was found, in UTF-16
 *   units of the text and of the whole translation; told before the end
 */

/** As many hypotheses as the core has rows for (kMaxHypotheses in src/engine). */
export const WIDEST_BEAM = 16;
/** Reads better than greedy search in every set that was measured (weights/README.md), and is still faster than others' greedy. */
const BEAM = 4;

/**
 * @param {TranslateOptions} options
 * @returns what Engine::start in the core takes
 * @throws {TypeError} when they ask for what cannot be
 */
export function engineOptions({ format = 'text', beam = BEAM, alternatives = 0, alignment = false }) {
  requireWhole('beam', beam, 1, WIDEST_BEAM);
  requireWhole('alternatives', alternatives, 0, WIDEST_BEAM - 1);
  if (format !== 'text' && format !== 'html') throw new TypeError(`The option format is ${format}; text and html are possible.`);
  if (format === 'html' && alignment) throw new TypeError('The option alignment is for plain text; the format is html.');
  return { beam: Math.max(beam, 1 + alternatives), alignment: Boolean(alignment) };
}

/**
 * @param {string} name of an option
 * @param {number} value
 * @param {number} least
 * @param {number} most
 */
function requireWhole(name, value, least, most) {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new TypeError(`The option ${name} is ${value}; whole numbers from ${least} to ${most} are possible.`);
}
