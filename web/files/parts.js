/**
 * A file as stretches that stay as they are and segments of prose between them. Whatever is not translated is never taken apart:
 * a segment that comes back as it was is written as it was read, byte for byte.
 *
 * @typedef {object} SegmentPart
 * @property {string} source as it stands in the file
 * @property {string} html what is translated: prose, in which tags stand for what must keep its place
 * @property {(translation: string) => string} render
 *
 * @typedef {object} NestedPart
 * @property {string} source as it stands in the file
 * @property {Part[]} parts what it says
 * @property {(text: string) => string} wrap what they say now, as the file has it
 *
 * @typedef {{source: string, inLanguage: (tag: string) => string}} LanguagePart what names the language of the file
 *
 * @typedef {string | SegmentPart | NestedPart | LanguagePart} Part
 */

/**
 * @param {Part[]} parts
 * @returns {string[]} the html of all segments, in order
 */
export function segmentsOf(parts) {
  return parts.flatMap((part) => {
    if (typeof part === 'string' || 'inLanguage' in part) return [];
    return 'html' in part ? [part.html] : segmentsOf(part.parts);
  });
}

/**
 * @param {Part[]} parts
 * @param {Iterator<string>} translations of their segments, in order
 * @param {string | undefined} language of the translations
 * @returns {string}
 */
export function textOf(parts, translations, language) {
  return parts.map((part) => (typeof part === 'string' ? part : partText(part, translations, language))).join('');
}

/**
 * @param {Exclude<Part, string>} part
 * @param {Iterator<string>} translations
 * @param {string | undefined} language
 */
function partText(part, translations, language) {
  if ('inLanguage' in part) return language === undefined ? part.source : part.inLanguage(language);
  if ('html' in part) {
    const translation = translations.next().value;
    return translation === part.html ? part.source : part.render(translation);
  }
  const own = segmentsOf(part.parts).map((html) => ({ html, translation: translations.next().value }));
  if (own.every(({ html, translation }) => html === translation)) return part.source;
  return part.wrap(textOf(part.parts, own.map(({ translation }) => translation).values(), language));
}
