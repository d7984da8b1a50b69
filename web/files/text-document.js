import { decodeText } from './encoding.js';
import { segmentsOf, textOf } from './parts.js';

/**
 * @typedef {object} Document a file that has been read
 * @property {string[]} segments of prose, each as HTML
 * @property {(translations: string[], language?: string) => Uint8Array<ArrayBuffer>} write the file with these in their places;
 *   `language` is what it says about itself then
 */

/**
 * A file that is a text.
 * @param {Uint8Array} bytes
 * @param {(text: string) => import('./parts.js').Part[]} read
 * @param {object} [encoding]
 * @param {(start: string) => string | undefined} [encoding.declared] what the beginning of the file says its encoding is
 * @param {(character: string) => string} [encoding.unknown] writes characters that the encoding does not have
 * @returns {Document}
 */
export function textDocument(bytes, read, { declared, unknown } = {}) {
  const { text, encode } = decodeText(bytes, declared);
  const parts = read(text);
  return {
    segments: segmentsOf(parts),
    write: (translations, language) => encode(textOf(parts, translations.values(), language), unknown),
  };
}
