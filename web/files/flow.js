import { Inline } from './inline.js';
import { elementsIn } from './xml.js';

/**
 * What is in a paragraph of XML, one after the other. A boundary ends a sentence: a tab, the end of a line, what only frames the
 * paragraph.
 *
 * @typedef {import('./parts.js').Part} Part
 * @typedef {import('./xml.js').XmlElement} XmlElement
 * @typedef {{kind: 'text', text: string, open: string, close: string} | {kind: 'point', xml: string} |
 *   {kind: 'word', text: string, xml: string} | {kind: 'open', xml: string} | {kind: 'close', xml: string} |
 *   {kind: 'boundary', xml: string}} Item open, close: what makes such text, as fonts do
 */

/**
 * @param {string} source of the paragraph, as it stands in the file
 * @param {Item[]} items
 * @param {(text: string) => string} write text
 * @returns {Part}
 */
export function flowPart(source, items, write) {
  /** @type {Part[]} */
  const parts = [];
  let stretch = /** @type {Item[]} */ ([]);
  const finish = () => {
    const [lead, content, trail] = framed(stretch);
    const written = (/** @type {Item} */ item) => xmlOf(item);
    parts.push(...lead.map(written), ...segment(content, write), ...trail.map(written));
    stretch = [];
  };
  for (const item of unpaired(items)) {
    if (item.kind !== 'boundary') stretch.push(item);
    else {
      finish();
      parts.push(item.xml);
    }
  }
  finish();
  // Taken together they are no more what stands in the file, but they mean the same.
  return { source, parts, wrap: (text) => text };
}

/**
 * Pairs that hold a boundary are boundaries.
 * @param {Item[]} items
 */
function unpaired(items) {
  const result = [...items];
  /** Of each that is open, whether there was a boundary. @type {boolean[]} */
  const open = [];
  for (const [index, { kind }] of items.entries()) {
    if (kind === 'open') open.push(false);
    else if (kind === 'boundary') open.fill(true);
    else if (kind === 'close' && open.pop()) result[index] = { kind: 'boundary', xml: xmlOf(items[index]) };
  }
  // The beginnings of those, from behind.
  const ends = /** @type {boolean[]} */ ([]);
  for (let i = items.length - 1; i >= 0; i--) {
    if (items[i].kind === 'close') ends.push(result[i].kind === 'boundary');
    else if (items[i].kind === 'open' && ends.pop()) result[i] = { kind: 'boundary', xml: xmlOf(items[i]) };
  }
  return result;
}

/**
 * Without what holds nothing at both ends: it need not be aligned to keep its place.
 * @param {Item[]} items
 */
function framed(items) {
  const isPoint = (/** @type {Item} */ { kind }) => kind === 'point';
  let [first, last] = [0, items.length];
  while (first < last && isPoint(items[first])) first++;
  while (last > first && isPoint(items[last - 1])) last--;
  return [items.slice(0, first), items.slice(first, last), items.slice(last)];
}

/**
 * @param {Item} item
 * @param {(text: string) => string} [write]
 */
function xmlOf(item, write = (text) => text) {
  return item.kind === 'text' ? item.open + write(item.text) + item.close : item.xml;
}

/**
 * @param {Item[]} items
 * @param {(text: string) => string} write
 * @returns {Part[]}
 */
function segment(items, write) {
  const source = items.map((item) => xmlOf(item, write)).join('');
  const base = commonest(items);
  const inline = new Inline();
  /** @type {string[]} */
  const closing = [];
  for (const [index, item] of items.entries()) {
    if (item.kind === 'text' && item.open + item.close === base.open + base.close) inline.text(item.text);
    else if (item.kind === 'text') {
      inline.open({ open: item.open, close: item.close, write });
      inline.text(item.text);
      inline.close();
    } else if (item.kind === 'open') {
      closing.push(closeOf(items, index));
      inline.open({ open: item.xml, close: /** @type {string} */ (closing.at(-1)) });
    } else if (item.kind === 'close') inline.close();
    else if (item.kind === 'word') inline.protect(item.text, item.xml);
    else inline.point(item.xml);
  }
  if (!inline.hasWords) return [source];
  const plain = (/** @type {string} */ text) => base.open + write(text) + base.close;
  return [{ source, html: inline.html, render: (translation) => inline.write(translation, plain) }];
}

/**
 * @param {Item[]} items
 * @param {number} open
 */
function closeOf(items, open) {
  let depth = 0;
  for (const item of items.slice(open)) {
    if (item.kind === 'open') depth++;
    else if (item.kind === 'close' && --depth === 0) return item.xml;
  }
  return '';
}

/**
 * How most of the text is made.
 * @param {Item[]} items
 */
function commonest(items) {
  /** @type {Map<string, {open: string, close: string, length: number}>} */
  const found = new Map();
  for (const item of items) {
    if (item.kind !== 'text') continue;
    const { open, close, text } = item;
    const one = found.get(open + close) ?? { open, close, length: 0 };
    one.length += text.length;
    found.set(open + close, one);
  }
  return [...found.values()].reduce((best, one) => (one.length > best.length ? one : best), { open: '', close: '', length: 0 });
}

// Between the paragraphs of one that holds others. Unicode keeps it for such use.
const BETWEEN = '\ufdd2';

/**
 * All paragraphs of a document, also those in others (in a note, in a frame).
 * @param {string} xml
 * @param {XmlElement} root
 * @param {(element: XmlElement) => boolean} isParagraph
 * @param {(paragraph: XmlElement, slice: (start: number, end: number) => string) => Part} read slice: of the source, in which inner
 *   paragraphs may be stood for by something else
 * @returns {Part[]}
 */
export function paragraphParts(xml, root, isParagraph, read) {
  /** @type {Part[]} */
  const parts = [];
  let end = 0;
  for (const paragraph of elementsIn(root, isParagraph)) {
    const inner = [...elementsIn(paragraph, isParagraph)];
    const slice = (/** @type {number} */ from, /** @type {number} */ to) => {
      let [text, at] = ['', from];
      for (const [index, { start, end }] of inner.entries()) {
        if (start < at || end > to) continue;
        text += `${xml.slice(at, start)}${BETWEEN}${index}${BETWEEN}`;
        at = end;
      }
      return text + xml.slice(at, to);
    };
    parts.push(xml.slice(end, paragraph.start));
    end = paragraph.end;
    const own = read(paragraph, slice);
    if (inner.length === 0) parts.push(own);
    else {
      const within = inner.flatMap((one) => [BETWEEN, nested(xml, one, isParagraph, read)]);
      parts.push({
        source: xml.slice(paragraph.start, paragraph.end),
        parts: [own, ...within],
        wrap: (text) => joined(text, inner.length),
      });
    }
  }
  return [...parts, xml.slice(end)];
}

/**
 * @param {string} xml
 * @param {XmlElement} paragraph
 * @param {Parameters<typeof paragraphParts>[2]} isParagraph
 * @param {Parameters<typeof paragraphParts>[3]} read
 * @returns {Part}
 */
function nested(xml, paragraph, isParagraph, read) {
  const [, part] = paragraphParts(xml, { ...paragraph, children: [paragraph] }, isParagraph, read);
  return part;
}

/**
 * The outer paragraph with the inner ones, which come behind it, where they stand.
 * @param {string} text
 * @param {number} count
 */
function joined(text, count) {
  const pieces = text.split(BETWEEN);
  const inner = pieces.slice(-count);
  return pieces
    .slice(0, -count)
    .map((piece, index) => (index % 2 ? inner[Number(piece)] : piece))
    .join('');
}
