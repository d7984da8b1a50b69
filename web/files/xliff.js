import { dataError } from './errors.js';
import { Inline } from './inline.js';
import { textDocument } from './text-document.js';
import { characterReference, declaredEncoding, elementsIn, escapeXml, isElement, localName, parseXml, textIn } from './xml.js';

/**
 * @typedef {import('./parts.js').Part} Part
 * @typedef {import('./xml.js').XmlElement} XmlElement
 */

// What holds words of the sentence; all other elements in one are for a program.
const PAIRS = new Set(['g', 'pc', 'mrk']);
const UNITS = new Set(['trans-unit', 'segment']);

/** XLIFF 1.2 and 2: units without a target get one. @param {Uint8Array} bytes */
export function read(bytes) {
  return textDocument(bytes, xliffParts, { declared: declaredEncoding, unknown: characterReference });
}

/**
 * @param {string} xml
 * @returns {Part[]}
 */
function xliffParts(xml) {
  if (xml === '') return [];
  const root = parseXml(xml);
  if (localName(root) !== 'xliff') throw dataError(`The file is not XLIFF: its first element is ${root.name}.`);
  const places = [...languagePlaces(xml, root), ...unitPlaces(xml, root)].sort((a, b) => a.start - b.start);
  /** @type {Part[]} */
  const parts = [];
  let at = 0;
  for (const { start, end, part } of places) {
    parts.push(xml.slice(at, start), part);
    at = end;
  }
  return [...parts, xml.slice(at)];
}

/** @typedef {{start: number, end: number, part: Part}} Place */

/**
 * @param {string} xml
 * @param {XmlElement} root
 * @returns {Generator<Place>}
 */
function* languagePlaces(xml, root) {
  const files = [...elementsIn(root, (element) => localName(element) === 'file')];
  for (const { start, inner, attributes } of [root, ...files]) {
    const source = xml.slice(start, inner);
    if (attributes.srcLang !== undefined) yield { start, end: inner, part: languageAttribute(source, 'trgLang') };
    else if (attributes['source-language'] !== undefined)
      yield { start, end: inner, part: languageAttribute(source, 'target-language') };
  }
}

/**
 * @param {string} source a tag
 * @param {string} name
 * @returns {Part}
 */
function languageAttribute(source, name) {
  const inLanguage = (/** @type {string} */ tag) => {
    const known = new RegExp(`(\\s${name}\\s*=\\s*)(?:"[^"]*"|'[^']*')`);
    return known.test(source) ? source.replace(known, `$1"${tag}"`) : source.replace(/\/?>$/, ` ${name}="${tag}"$&`);
  };
  return { source, inLanguage };
}

/**
 * @param {string} xml
 * @param {XmlElement} root
 * @returns {Generator<Place>}
 */
function* unitPlaces(xml, root) {
  const isUnit = (/** @type {XmlElement} */ element) => UNITS.has(localName(element)) || element.attributes.translate === 'no';
  for (const unit of elementsIn(root, isUnit)) {
    if (unit.attributes.translate === 'no') continue;
    const child = (/** @type {string} */ name) => unit.children.filter(isElement).find((element) => localName(element) === name);
    const source = child('source');
    const target = child('target');
    if (!source || (target && textIn(target).trim())) continue;
    const inline = new Inline();
    addContent(source, xml, inline);
    if (!inline.hasWords) continue;
    const content = (/** @type {string} */ translation) => inline.write(translation, escapeXml);
    const name = source.name.replace(/source$/, 'target');
    if (target) {
      const written = xml.slice(target.start, target.end);
      const begin = xml.slice(target.start, target.inner).replace(/\s*\/>$/, '>');
      const render = (/** @type {string} */ translation) => `${begin}${content(translation)}</${name}>`;
      yield { start: target.start, end: target.end, part: { source: written, html: inline.html, render } };
    } else {
      const [indent] = /\s*$/.exec(xml.slice(Math.max(0, source.start - 100), source.start)) ?? [''];
      const render = (/** @type {string} */ translation) => `${indent}<${name}>${content(translation)}</${name}>`;
      yield { start: source.end, end: source.end, part: { source: '', html: inline.html, render } };
    }
  }
}

/**
 * @param {XmlElement} element
 * @param {string} xml
 * @param {Inline} inline
 */
function addContent(element, xml, inline) {
  for (const child of element.children) {
    if (!isElement(child)) inline.text(child.text);
    else if (PAIRS.has(localName(child)) && child.end > child.inner) {
      inline.open({ open: xml.slice(child.start, child.inner), close: xml.slice(child.innerEnd, child.end) });
      addContent(child, xml, inline);
      inline.close();
    } else inline.point(xml.slice(child.start, child.end));
  }
}
