import { encode } from '../markup/character-references.js';
import { dataError } from './errors.js';
import { characters } from './inline.js';
import { subtitleParts } from './subtitles.js';
import { textDocument } from './text-document.js';

/** WebVTT. @param {Uint8Array} bytes */
export function read(bytes) {
  return textDocument(bytes, (text) => {
    if (text && !/^WEBVTT(?:\s|$)/.test(text)) throw dataError('The file is not WebVTT: it does not begin with that word.');
    // A file without cues is one, too.
    return text.includes('-->') ? subtitleParts(text, { decode: characters, encode }) : [text];
  });
}
