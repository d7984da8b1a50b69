import { flowPart, paragraphParts } from './flow.js';
import { escapeXml, isElement, localName, parseXml, textIn } from './xml.js';

/**
 * Paragraphs of Word and PowerPoint: runs of text, each with its font.
 *
 * @typedef {import('./parts.js').Part} Part
 * @typedef {import('./xml.js').XmlElement} XmlElement
 * @typedef {import('./flow.js').Item} Item
 * @typedef {(start: number, end: number) => string} Slice
 */

// What has text but is no prose; what ends a sentence; what only hints at something (spelling, where a page ended). What is not
// named here and has no text is a point, also a paragraph's properties, which stay at its ends.
const WORDS = new Set(['fld', 'oMath', 'oMathPara', 'ruby']);
const BOUNDARIES = new Set(['tab', 'br', 'cr', 'ptab']);
const HINTS = new Set(['proofErr', 'lastRenderedPageBreak']);
const DELETED = new Set(['del', 'moveFrom']);

/**
 * @param {string} xml
 * @param {string} namespace of paragraphs, runs and texts
 * @returns {Part[]}
 */
export function ooxmlParts(xml, namespace) {
  const root = parseXml(xml);
  const declaration = Object.entries(root.attributes).find(([, value]) => value === namespace)?.[0] ?? '';
  const prefix = declaration.startsWith('xmlns:') ? `${declaration.slice(6)}:` : '';
  if (!declaration) return [xml];
  const read = (/** @type {XmlElement} */ paragraph, /** @type {Slice} */ slice) => paragraphPart(paragraph, slice, prefix);
  return paragraphParts(xml, root, ({ name }) => name === `${prefix}p`, read);
}

/**
 * @param {XmlElement} paragraph
 * @param {Slice} slice
 * @param {string} prefix
 */
function paragraphPart(paragraph, slice, prefix) {
  const { start, inner, innerEnd, end } = paragraph;
  const items = fields(contentItems(paragraph, slice, prefix));
  /** @type {Item[]} */
  const framed = [{ kind: 'boundary', xml: slice(start, inner) }, ...items, { kind: 'boundary', xml: slice(innerEnd, end) }];
  return flowPart(slice(start, end), framed, escapeXml);
}

/**
 * @param {XmlElement} element
 * @param {Slice} slice
 * @param {string} prefix
 * @returns {Item[]}
 */
function contentItems(element, slice, prefix) {
  return element.children.filter(isElement).flatMap((child) => {
    const xml = slice(child.start, child.end);
    const name = localName(child);
    if (child.name === `${prefix}r`) return runItems(child, slice, prefix);
    if (HINTS.has(name)) return [];
    if (BOUNDARIES.has(name)) return [{ kind: 'boundary', xml }];
    if (DELETED.has(name) || !textIn(child).trim()) return [{ kind: 'point', xml }];
    if (WORDS.has(name)) return [{ kind: 'word', text: textIn(child).trim(), xml }];
    // Its own properties come first in it, and stay there.
    const properties = child.children.filter(isElement).filter((one) => /Pr$/.test(one.name));
    const begin = properties.at(-1)?.end ?? child.inner;
    const content = { ...child, children: child.children.filter((one) => one.start >= begin) };
    return [
      { kind: 'open', xml: slice(child.start, begin) },
      ...contentItems(content, slice, prefix),
      { kind: 'close', xml: slice(child.innerEnd, child.end) },
    ];
  });
}

/**
 * A run for each thing in a run.
 * @param {XmlElement} run
 * @param {Slice} slice
 * @param {string} prefix
 * @returns {Item[]}
 */
function runItems(run, slice, prefix) {
  const children = run.children.filter(isElement);
  const properties = children.find(({ name }) => name === `${prefix}rPr`);
  const style = properties ? slice(properties.start, properties.end) : '';
  const begin = `<${run.name}>${style}`;
  const end = `</${run.name}>`;
  return children.flatMap((child) => {
    const xml = begin + slice(child.start, child.end) + end;
    const name = localName(child);
    if (child === properties || HINTS.has(name)) return [];
    if (child.name !== `${prefix}t`) return [/** @type {Item} */ ({ kind: BOUNDARIES.has(name) ? 'boundary' : 'point', xml })];
    const space = prefix.startsWith('w') ? ' xml:space="preserve"' : '';
    return [
      /** @type {Item} */ ({
        kind: 'text',
        text: textIn(child),
        open: `${begin}<${child.name}${space}>`,
        close: `</${child.name}>${end}`,
      }),
    ];
  });
}

/**
 * Word's fields, from `begin` to `end`: what they show is a word of the sentence, but for links. One that goes on in another paragraph is
 * a frame.
 * @param {Item[]} items
 * @returns {Item[]}
 */
function fields(items) {
  const type = (/** @type {Item} */ item) => (item.kind === 'point' && /fldCharType="(\w+)"/.exec(item.xml)?.[1]) || '';
  /** @type {Item[]} */
  const result = [];
  for (let i = 0; i < items.length; i++) {
    if (type(items[i]) !== 'begin') {
      result.push(type(items[i]) ? frame(items[i]) : items[i]);
      continue;
    }
    const [separate, end] = matching(items, i, type);
    if (end < 0) {
      result.push(frame(items[i]));
      continue;
    }
    const all = items.slice(i, end + 1);
    const code = items
      .slice(i, separate + 1)
      .map(written)
      .join('');
    const shown = items.slice(separate + 1, end);
    i = end;
    if (/instrText[^>]*>\s*HYPERLINK/.test(code)) {
      result.push({ kind: 'open', xml: code }, ...fields(shown), { kind: 'close', xml: written(all[all.length - 1]) });
    } else {
      const text = shown
        .map((item) => (item.kind === 'text' ? item.text : ''))
        .join('')
        .trim();
      const xml = all.map(written).join('');
      result.push(text ? { kind: 'word', text, xml } : { kind: 'point', xml });
    }
  }
  return result;
}

/**
 * @param {Item[]} items
 * @param {number} begin
 * @param {(item: Item) => string} type
 */
function matching(items, begin, type) {
  let [depth, separate] = [0, -1];
  for (let i = begin; i < items.length; i++) {
    const one = type(items[i]);
    if (one === 'begin') depth++;
    else if (one === 'separate' && depth === 1) separate = i;
    else if (one === 'end' && --depth === 0) return [separate < 0 ? i : separate, i];
  }
  return [-1, -1];
}

/**
 * @param {Item} item
 * @returns {Item}
 */
function frame(item) {
  return { kind: 'boundary', xml: written(item) };
}

/** @param {Item} item */
function written(item) {
  return item.kind === 'text' ? item.open + escapeXml(item.text) + item.close : item.xml;
}
