import { openDocument } from './formats.js';

/**
 * @typedef {import('./formats.js').Document} Document
 * @typedef {{translate: (html: string, options: {format: 'html', signal?: AbortSignal}) => Promise<string>, targetLanguage?: string}} HtmlTranslator
 *   a Translator, or what stands for several
 *
 * @typedef {object} Progress
 * @property {number} done characters of the document's segments
 * @property {number} total
 *
 * @typedef {object} FileOptions
 * @property {AbortSignal} [signal]
 * @property {(progress: Progress) => void} [onProgress]
 * @property {number} [inFlight] segments on their way at once
 */

// Enough to fill the engine's rows, few enough to end soon when they are aborted.
const IN_FLIGHT = 16;

/**
 * @param {Uint8Array} bytes
 * @param {string} name its ending says what the file is
 * @param {HtmlTranslator} translator
 * @param {FileOptions} [options]
 * @returns {Promise<Uint8Array<ArrayBuffer>>} the file, translated
 * @example
 * const german = await translateFile(await file.bytes(), file.name, translator, { onProgress: ({ done, total }) => show(done / total) });
 */
export async function translateFile(bytes, name, translator, options = {}) {
  const document = await openDocument(name, bytes);
  return document.write(await translateSegments(document, translator, options), translator.targetLanguage);
}

/**
 * Each text once, however often it is there.
 * @param {Document} document
 * @param {HtmlTranslator} translator
 * @param {FileOptions & {known?: Map<string, string>, onSegment?: (html: string, translation: string) => void}} options known:
 *   translations that are there already
 * @returns {Promise<string[]>} of the document's segments, in order
 */
export async function translateSegments(
  document,
  translator,
  { signal, onProgress, onSegment, known = new Map(), inFlight = IN_FLIGHT },
) {
  const { segments } = document;
  /** @type {Map<string, number>} */
  const lengths = new Map();
  for (const html of segments) lengths.set(html, (lengths.get(html) ?? 0) + html.length);
  const { total, done: before } = progressOf(document, known);
  let done = before;
  const translations = new Map(known);
  const waiting = [...lengths.keys()].filter((html) => !known.has(html)).values();
  // One that fails ends all.
  const failure = new AbortController();
  const either = AbortSignal.any(signal ? [signal, failure.signal] : [failure.signal]);
  const lane = async () => {
    for (const html of waiting) {
      either.throwIfAborted();
      const translation = await translator.translate(html, { format: 'html', signal: either });
      translations.set(html, translation);
      onSegment?.(html, translation);
      done += /** @type {number} */ (lengths.get(html));
      onProgress?.({ done, total });
    }
  };
  signal?.throwIfAborted();
  onProgress?.({ done, total });
  const lanes = Array.from({ length: inFlight }, lane);
  await Promise.all(lanes).catch((error) => {
    failure.abort(error);
    throw error;
  });
  return segments.map((html) => /** @type {string} */ (translations.get(html)));
}

/**
 * How far a document is.
 * @param {Document} document
 * @param {Map<string, string>} known translations that are there
 * @returns {Progress}
 */
export function progressOf({ segments }, known) {
  let [done, total] = [0, 0];
  for (const html of segments) {
    total += html.length;
    if (known.has(html)) done += html.length;
  }
  return { done, total };
}
