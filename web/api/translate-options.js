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
 * @property {boolean} [attention] extension: find out what the model attended to, in every layer and head, and what it took; not
 *   where two models translate by way of English
 * @property {(attention: import('../engine/attention.js').Attention) => void} [onAttention] extension: it was found; told before
 *   the end, and of a stream also while it grows: of what has been told of the translation
 * @property {boolean} [scores] extension: find out how sure the model was of each sentence, word and piece
 * @property {(scores: import('../engine/scores.js').Scores) => void} [onScores] extension: it was found; told before the end
 * @property {string} [prefix] extension: what the translation of a text that is one sentence begins with, to the letter. Where it
 *   ends with a blank, a new word follows; else its last word may grow
 * @property {Sampling} [sampling] extension: draw the translation by chance, in place of searching for a good one
 * @property {Iterable<readonly [term: string, translation: string]>} [glossary] extension: what terms are to become wherever the text
 *   has them; a Map, or a list of pairs, of at most 10,000. Terms are whole words, and their translations stand as they are given
 *
 * @typedef {object} Sampling
 * @property {number} [temperature] up to 100: below 1 likelier pieces are drawn, above it others; 1 unless told
 * @property {number} [topK] draw of the so many likeliest pieces only
 * @property {number} [topP] draw of the fewest likeliest that are together as probable as this, up to 1
 * @property {number} [seed] the same seed, the same text: a whole number from 0 to 4,294,967,295; by chance unless told
 *
 * @typedef {Partial<import('../engine/core.js').CoreOptions> & {inspect?: boolean}} EngineOptions inspect: in place of a
 *   translation, find what the model computes on the text
 */

/** As many hypotheses as the core has rows for (kMaxHypotheses in src/engine). */
export const WIDEST_BEAM = 16;
/** Reads better than greedy search in every set that was measured (weights/README.md), and is still faster than others' greedy. */
const BEAM = 4;
/** Enough for the likeliest words to be found, however many are wanted. */
const NEXT_WORDS_BEAM = 8;

/**
 * @param {TranslateOptions} options
 * @returns {EngineOptions} what Engine::start in the core takes
 * @throws {TypeError} when they ask for what cannot be
 */
export function engineOptions({
  format = 'text',
  beam,
  alternatives = 0,
  alignment = false,
  attention = false,
  scores = false,
  prefix = '',
  sampling,
  glossary = [],
}) {
  const width = beam ?? (sampling ? 1 : BEAM);
  requireWhole('beam', width, 1, WIDEST_BEAM);
  requireWhole('alternatives', alternatives, 0, WIDEST_BEAM - 1);
  if (format !== 'text' && format !== 'html') throw new TypeError(`The option format is ${format}; text and html are possible.`);
  for (const [name, value] of Object.entries({ alignment, attention, scores, prefix })) {
    if (format === 'html' && value) throw new TypeError(`The option ${name} is for plain text; the format is html.`);
  }
  const most = Math.max(width, 1 + alternatives);
  /** @type {EngineOptions} */
  const options = { beam: most, alignment: Boolean(alignment), attention: Boolean(attention), scores: Boolean(scores) };
  if (`${prefix}` !== '') options.prefix = `${prefix}`;
  const terms = glossaryText(glossary);
  if (terms) options.glossary = terms;
  if (!sampling) return options;
  if (most > 1) throw new TypeError('The option sampling draws one translation: not with a beam, nor alternatives.');
  if (terms) throw new TypeError('The option sampling draws by chance, and a glossary has to be searched for: not both.');
  return { ...options, sampling: samplingOptions(sampling) };
}

/** @param {Sampling} sampling */
function samplingOptions({ temperature = 1, topK, topP = 1, seed = crypto.getRandomValues(new Uint32Array(1))[0] }) {
  requireBetween('temperature', temperature, 100);
  requireBetween('topP', topP, 1);
  if (topK !== undefined) requireWhole('topK', topK, 1, 2 ** 31 - 1);
  requireWhole('seed', seed, 0, 2 ** 32 - 1);
  return { temperature, topK: topK ?? 0, topP, seed };
}

/**
 * A line for each pair, as the core reads it.
 * @param {Iterable<readonly [string, string]>} glossary
 */
function glossaryText(glossary) {
  let text = '';
  for (const pair of glossary) {
    const [term, translation] = pair;
    const fits = Array.isArray(pair) && typeof term === 'string' && typeof translation === 'string' && pair.length === 2;
    if (!fits || /[\t\n\r]/.test(term + translation)) {
      throw new TypeError(`The option glossary has ${JSON.stringify(pair)}; pairs of strings of one line are possible.`);
    }
    text += `${term}\t${translation}\n`;
  }
  return text;
}

/**
 * @param {unknown} prefix
 * @param {number} count of words
 * @returns {EngineOptions} for Translator.nextWords
 */
export function nextWordsOptions(prefix, count) {
  requireWhole('count', count, 1, WIDEST_BEAM);
  return { beam: Math.max(count, NEXT_WORDS_BEAM), prefix: `${prefix}`, nextWords: count };
}

/**
 * @param {unknown} translation
 * @returns {EngineOptions} for Translator.score
 */
export function scoreOptions(translation) {
  return { beam: 1, prefix: `${translation}`, whole: true, scores: true };
}

/**
 * @param {string | undefined} translation the model's own unless told
 * @returns {EngineOptions} for Translator.inspect
 */
export function inspectOptions(translation) {
  return translation === undefined ? { inspect: true } : { inspect: true, prefix: `${translation}`, whole: true };
}

/**
 * @param {string} name of an option
 * @param {number} value
 * @param {number} most
 */
function requireBetween(name, value, most) {
  if (typeof value === 'number' && value > 0 && value <= most) return;
  throw new TypeError(`The option ${name} is ${value}; numbers above 0, at most ${most}, are possible.`);
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
