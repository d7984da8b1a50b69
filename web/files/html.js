import { readHtml } from '../markup/html.js';
import { textDocument } from './text-document.js';

/** @typedef {import('./parts.js').Part} Part */

/** HTML, whole documents and fragments. @param {Uint8Array} bytes */
export function read(bytes) {
  return textDocument(bytes, (text) => htmlParts(text), {
    declared: (start) => /<meta\s[^>]*charset\s*=\s*["']?([\w-]+)/i.exec(start)?.[1],
    unknown: (character) => `&#${character.codePointAt(0)};`,
  });
}

/**
 * @param {string} html
 * @param {{xml?: boolean}} [how] xml: it is XHTML
 * @returns {Part[]}
 */
export function htmlParts(html, { xml = false } = {}) {
  return readHtml(html, { xml }).map(({ html: source, section }) => {
    // XML knows no name for that blank.
    if (section)
      return { source, html: source, render: (translation) => (xml ? translation.replaceAll('&nbsp;', '&#160;') : translation) };
    return /^<html\s/i.test(source) ? languagePart(source) : source;
  });
}

/**
 * A tag, with its language.
 * @param {string} source
 * @returns {Part}
 */
export function languagePart(source) {
  const inLanguage = (/** @type {string} */ tag) =>
    source.replace(/(\slang\s*=\s*|:lang\s*=\s*)(?:"[^"]*"|'[^']*'|[^\s>]+)/gi, `$1"${tag}"`);
  return { source, inLanguage };
}
