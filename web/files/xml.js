import { SaxesParser } from 'saxes';
import { dataError } from './errors.js';

/**
 * XML as a tree of elements that know where they stand in the text. What is not well formed is an error; a document's own entities
 * are unknown here, so that none of them grows or reaches for files.
 *
 * @typedef {object} XmlElement
 * @property {string} name as written, with its prefix
 * @property {Record<string, string>} attributes
 * @property {XmlNode[]} children
 * @property {number} start of its first tag
 * @property {number} inner behind that
 * @property {number} innerEnd before its last tag
 * @property {number} end behind that
 *
 * @typedef {{text: string, start: number, end: number}} XmlText
 * @typedef {XmlElement | XmlText} XmlNode comments and instructions are none: they only lie between them
 */

// Nobody nests that deep; it bounds recursion.
const DEEPEST = 500;

/**
 * @param {string} xml
 * @returns {XmlElement} the outermost
 */
export function parseXml(xml) {
  const parser = new SaxesParser();
  /** @type {XmlElement} */
  const top = { name: '', attributes: {}, children: [], start: 0, inner: 0, innerEnd: xml.length, end: xml.length };
  const open = [top];
  // Where the last tag, comment or instruction ends. What comes next begins with the next `<`: text has none.
  let end = 0;
  const begin = () => {
    const start = xml.indexOf('<', end);
    end = parser.position;
    return start;
  };
  parser.on('text', (text) => {
    const last = open[open.length - 1];
    if (last !== top) last.children.push({ text, start: end, end: xml.indexOf('<', end) });
  });
  parser.on('cdata', (text) => {
    const start = begin();
    open[open.length - 1].children.push({ text, start, end });
  });
  parser.on('opentag', ({ name, attributes }) => {
    if (open.length > DEEPEST) throw dataError('The elements of the file are nested too deep.');
    /** @type {XmlElement} */
    const element = { name, attributes, children: [], start: begin(), inner: end, innerEnd: end, end };
    open[open.length - 1].children.push(element);
    open.push(element);
  });
  parser.on('closetag', ({ isSelfClosing }) => {
    const element = /** @type {XmlElement} */ (open.pop());
    if (isSelfClosing) return;
    element.innerEnd = begin();
    element.end = end;
  });
  for (const other of /** @type {const} */ (['comment', 'processinginstruction', 'doctype', 'xmldecl'])) parser.on(other, begin);
  try {
    parser.write(xml).close();
  } catch (error) {
    if (error instanceof DOMException) throw error;
    throw dataError(`The file is not well-formed XML: ${/** @type {Error} */ (error).message}`, error);
  }
  return /** @type {XmlElement} */ (top.children.find(isElement));
}

/**
 * @param {XmlNode} node
 * @returns {node is XmlElement}
 */
export function isElement(node) {
  return 'name' in node;
}

/** @param {XmlElement} element */
export function localName({ name }) {
  return name.slice(name.indexOf(':') + 1);
}

/**
 * All elements within, in order, that are accepted; none within those.
 * @param {XmlElement} element
 * @param {(element: XmlElement) => boolean} accept
 * @returns {Generator<XmlElement>}
 */
export function* elementsIn(element, accept) {
  for (const child of element.children) {
    if (!isElement(child)) continue;
    if (accept(child)) yield child;
    else yield* elementsIn(child, accept);
  }
}

/**
 * @param {XmlNode} node
 * @returns {string}
 */
export function textIn(node) {
  return isElement(node) ? node.children.map(textIn).join('') : node.text;
}

/** @param {string} text */
export function escapeXml(text) {
  return text.replace(/[&<>]/g, (c) => ({ '&': '&amp;', '<': '&lt;' })[c] ?? '&gt;');
}

/** @param {string} start of a file */
export function declaredEncoding(start) {
  return /^<\?xml[^>]*encoding\s*=\s*["']([\w-]+)/.exec(start)?.[1];
}

/** @param {string} character */
export function characterReference(character) {
  return `&#${character.codePointAt(0)};`;
}
