import { dataError } from './errors.js';
import { htmlParts } from './html.js';
import { Inline } from './inline.js';
import { elementsIn, escapeXml, localName, parseXml, textIn } from './xml.js';
import { member, zipDocument } from './zip.js';

/**
 * @typedef {import('./parts.js').Part} Part
 * @typedef {import('./xml.js').XmlElement} XmlElement
 */

/** Books. @param {Uint8Array} bytes */
export function read(bytes) {
  return zipDocument(bytes, (members) => {
    const container = parseXml(text(member(members, 'META-INF/container.xml')));
    const [rootfile] = elementsIn(container, (element) => localName(element) === 'rootfile');
    const packageFile = rootfile?.attributes['full-path'];
    if (!packageFile) throw dataError('The book does not say where its contents are.');
    const items = [...elementsIn(parseXml(text(member(members, packageFile))), (element) => localName(element) === 'item')];
    /** @type {Map<string, (xml: string) => Part[]>} */
    const read = new Map([[packageFile, metadataParts]]);
    for (const { attributes } of items) {
      const name = resolve(packageFile, attributes.href ?? '');
      if (!members.has(name)) continue;
      if (attributes['media-type'] === 'application/xhtml+xml') read.set(name, chapterParts);
      else if (attributes['media-type'] === 'application/x-dtbncx+xml') read.set(name, (xml) => elementParts(xml, ['text'], []));
    }
    return read;
  });
}

/** @param {Uint8Array} bytes */
function text(bytes) {
  return new TextDecoder().decode(bytes);
}

/**
 * @param {string} base
 * @param {string} href
 */
function resolve(base, href) {
  // Within an address of its own nothing leads out of the archive.
  const { pathname } = new URL(href, `book:///${base.split('/').map(encodeURIComponent).join('/')}`);
  try {
    return decodeURIComponent(pathname.slice(1));
  } catch {
    return pathname.slice(1);
  }
}

/** @param {string} xml */
function chapterParts(xml) {
  return htmlParts(xml, { xml: true });
}

/** @param {string} xml */
function metadataParts(xml) {
  return elementParts(xml, ['title', 'description'], ['language']);
}

/**
 * @param {string} xml
 * @param {string[]} prose names of elements with nothing but text in them
 * @param {string[]} languages names of those that say the language
 * @returns {Part[]}
 */
function elementParts(xml, prose, languages) {
  const isLeaf = (/** @type {XmlElement} */ element) => [...prose, ...languages].includes(localName(element));
  /** @type {Part[]} */
  const parts = [];
  let end = 0;
  for (const element of elementsIn(parseXml(xml), isLeaf)) {
    parts.push(xml.slice(end, element.inner));
    end = element.innerEnd;
    const source = xml.slice(element.inner, end);
    if (languages.includes(localName(element))) parts.push({ source, inLanguage: escapeXml });
    else {
      const inline = new Inline();
      inline.text(textIn(element));
      if (inline.hasWords)
        parts.push({ source, html: inline.html, render: (translation) => inline.write(translation, escapeXml) });
      else parts.push(source);
    }
  }
  return [...parts, xml.slice(end)];
}
