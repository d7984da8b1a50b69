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
 * @property {number} [alternatives] extension: look for up to so many other translations of a text that is one sentence, 0 to
 *   15. The wider search often finds a better translation, too, and takes longer
 * @property {(alternatives: string[]) => void} [onAlternatives] extension: they were found, best first; told before the end
 * @property {boolean} [alignment] extension: find out which parts of the translation stand for which of the text
 * @property {(alignment: import('../engine/alignment.js').Alignment) => void} [onAlignment] extension: it was found, in UTF-16
 *   units of the text and of the whole translation; told before the end
 */

/** With the translation itself, as many hypotheses as the core has rows for (kMaxHypotheses in src/engine). */
export const MOST_ALTERNATIVES = 15;

/**
 * @param {TranslateOptions} options
 * @returns what Engine::start in the core takes
 * @throws {TypeError} when they ask for what cannot be
 */
export function engineOptions({ format = 'text', alternatives = 0, alignment = false }) {
  if (!Number.isInteger(alternatives) || alternatives < 0 || alternatives > MOST_ALTERNATIVES) {
    throw new TypeError(`The option alternatives is ${alternatives}; whole numbers from 0 to ${MOST_ALTERNATIVES} are possible.`);
  }
  if (format !== 'text' && format !== 'html') throw new TypeError(`The option format is ${format}; text and html are possible.`);
  if (format === 'html' && alignment) throw new TypeError('The option alignment is for plain text; the format is html.');
  return { beam: 1 + alternatives, alignment: Boolean(alignment) };
}
