import { subtitleParts } from './subtitles.js';
import { textDocument } from './text-document.js';

/** SubRip. @param {Uint8Array} bytes */
export function read(bytes) {
  return textDocument(bytes, (text) => subtitleParts(text));
}
