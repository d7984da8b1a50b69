import { linesToParts } from './lines.js';
import { textDocument } from './text-document.js';

/** Plain text: paragraphs, wrapped at a column or not. @param {Uint8Array} bytes */
export function read(bytes) {
  return textDocument(bytes, (text) => linesToParts(text));
}
