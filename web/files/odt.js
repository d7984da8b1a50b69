import { flowPart, paragraphParts } from './flow.js';
import { elementsIn, escapeXml, isElement, parseXml, textIn } from './xml.js';
import { member, zipDocument } from './zip.js';

/**
 * @typedef {import('./xml.js').XmlElement} XmlElement
 * @typedef {import('./flow.js').Item} Item
 * @typedef {(start: number, end: number) => string} Slice
 */

const PARAGRAPHS = new Set(['text:p', 'text:h']);
const PAIRS = new Set(['text:span', 'text:a', 'text:meta', 'text:ruby-base']);
const BOUNDARIES = new Set(['text:tab', 'text:line-break']);
const DELETED = 'text:tracked-changes';

/** OpenDocument's texts. @param {Uint8Array} bytes */
export function read(bytes) {
  return zipDocument(bytes, (members) => {
    member(members, 'content.xml');
    return ['content.xml', 'styles.xml'].filter((name) => members.has(name)).map((name) => [name, textParts]);
  });
}

/** @param {string} xml */
function textParts(xml) {
  const root = parseXml(xml);
  for (const changes of elementsIn(root, ({ name }) => name === DELETED)) changes.children = [];
  return paragraphParts(
    xml,
    root,
    ({ name }) => PARAGRAPHS.has(name),
    (paragraph, slice) => {
      const { start, inner, innerEnd, end } = paragraph;
      /** @type {Item[]} */
      const items = [
        { kind: 'boundary', xml: slice(start, inner) },
        ...itemsOf(paragraph, slice),
        { kind: 'boundary', xml: slice(innerEnd, end) },
      ];
      return flowPart(slice(start, end), items, escapeXml);
    },
  );
}

/**
 * @param {XmlElement} element
 * @param {Slice} slice
 * @returns {Item[]}
 */
function itemsOf(element, slice) {
  return element.children.flatMap((child) => {
    if (!isElement(child)) return [{ kind: 'text', text: child.text, open: '', close: '' }];
    const xml = slice(child.start, child.end);
    // Several blanks in a row: HTML, in which it is translated, has none.
    if (child.name === 'text:s') return [{ kind: 'text', text: ' ', open: '', close: '' }];
    if (BOUNDARIES.has(child.name)) return [{ kind: 'boundary', xml }];
    if (PAIRS.has(child.name) && child.end > child.inner) {
      const open = slice(child.start, child.inner);
      return [{ kind: 'open', xml: open }, ...itemsOf(child, slice), { kind: 'close', xml: slice(child.innerEnd, child.end) }];
    }
    const text = hasParagraphs(child) ? '' : textIn(child).trim();
    return [text ? { kind: 'word', text, xml } : { kind: 'point', xml }];
  });
}

/** @param {XmlElement} element notes and frames have them */
function hasParagraphs(element) {
  return !elementsIn(element, ({ name }) => PARAGRAPHS.has(name)).next().done;
}
