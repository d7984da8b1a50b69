import { exception } from '../base/errors.js';

/**
 * Who reads which kind of file. Each is fetched when the first such file comes.
 *
 * @typedef {import('./text-document.js').Document} Document
 * @typedef {{read: (bytes: Uint8Array) => Document}} Format
 */

/** @type {Record<string, () => Promise<Format>>} by the end of the name */
const FORMATS = {
  csv: () => import('./csv.js'),
  docx: () => import('./docx.js'),
  epub: () => import('./epub.js'),
  htm: () => import('./html.js'),
  html: () => import('./html.js'),
  markdown: () => import('./md.js'),
  md: () => import('./md.js'),
  odt: () => import('./odt.js'),
  po: () => import('./po.js'),
  pot: () => import('./po.js'),
  pptx: () => import('./pptx.js'),
  srt: () => import('./srt.js'),
  txt: () => import('./txt.js'),
  vtt: () => import('./vtt.js'),
  xlf: () => import('./xliff.js'),
  xliff: () => import('./xliff.js'),
};

/** Ends of the names of files that can be read, each with its dot. */
export const endings = Object.keys(FORMATS).map((name) => `.${name}`);

/**
 * @param {string} name of the file
 * @param {Uint8Array} bytes
 * @returns {Promise<Document>}
 * @throws {DOMException} NotSupportedError: no kind of file that is known here; DataError: something is wrong with it
 */
export async function openDocument(name, bytes) {
  const ending = /\.([^.]+)$/.exec(name)?.[1].toLowerCase() ?? '';
  if (!Object.hasOwn(FORMATS, ending)) {
    throw exception('NotSupportedError', `Dragoman cannot read ${name}. It can read ${endings.join(', ')}.`);
  }
  const { read } = await FORMATS[ending]();
  return read(bytes);
}
