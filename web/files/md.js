import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFootnoteFromMarkdown } from 'mdast-util-gfm-footnote';
import { gfmStrikethroughFromMarkdown } from 'mdast-util-gfm-strikethrough';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmFootnote } from 'micromark-extension-gfm-footnote';
import { gfmStrikethrough } from 'micromark-extension-gfm-strikethrough';
import { gfmTable } from 'micromark-extension-gfm-table';
import { htmlParts } from './html.js';
import { characters, Inline } from './inline.js';
import { addBreak, addLines, joinLines } from './lines.js';
import { pairs } from './pairs.js';
import { textDocument } from './text-document.js';

/**
 * @typedef {import('./parts.js').Part} Part
 * @typedef {any} Node of mdast, with its positions in the source
 */

const EXTENSIONS = {
  extensions: [gfmTable(), gfmStrikethrough(), gfmFootnote()],
  mdastExtensions: [gfmTableFromMarkdown(), gfmStrikethroughFromMarkdown(), gfmFootnoteFromMarkdown()],
};
// YAML in front of the text is no Markdown.
const FRONT_MATTER = /^---[^\S\n]*\n[\s\S]*?\n(?:---|\.\.\.)[^\S\n]*(?:\n|$)/;

/** Markdown as GitHub has it; code and front matter stay as they are. @param {Uint8Array} bytes */
export function read(bytes) {
  return textDocument(bytes, markdownParts);
}

/**
 * @param {string} text
 * @returns {Part[]}
 */
function markdownParts(text) {
  const [front] = FRONT_MATTER.exec(text) ?? [''];
  const source = text.slice(front.length);
  /** @type {Part[]} */
  const parts = [front];
  let end = 0;
  for (const node of proseIn(fromMarkdown(source, EXTENSIONS))) {
    const [from, to] = range(node);
    const part = node.type === 'html' ? htmlPart(source.slice(from, to)) : prosePart(node, source);
    if (!part) continue;
    parts.push(source.slice(end, from), part);
    end = to;
  }
  return [...parts, source.slice(end)];
}

/**
 * Nodes that hold sentences, in order.
 * @param {Node} node
 * @returns {Generator<Node>}
 */
function* proseIn(node) {
  if (['paragraph', 'heading', 'tableCell'].includes(node.type)) {
    if (node.children.length > 0) yield node;
  } else if (node.type === 'html') yield node;
  else for (const child of node.children ?? []) yield* proseIn(Object.assign(child, { inItem: node.type === 'listItem' }));
}

/**
 * @param {string} source
 * @returns {Part}
 */
function htmlPart(source) {
  return { source, parts: htmlParts(source), wrap: (text) => text };
}

/**
 * @param {Node} node
 * @param {string} source
 * @returns {import('./parts.js').SegmentPart | undefined}
 */
function prosePart(node, source) {
  const inline = new Inline();
  // The box of a task.
  const [box] = /^\[[ x]\]\s+/i.exec(node.inItem ? source.slice(...range(node)) : '') ?? [''];
  node.children[0].position.start.offset += box.length;
  const cell = node.type === 'tableCell';
  addAll(node.children, source, inline);
  if (!inline.hasWords) return undefined;
  const [from, to] = [range(node.children[0])[0], range(node.children.at(-1))[1]];
  const whole = range(node);
  const render = (/** @type {string} */ translation) => {
    const text = joinLines(inline.write(translation, (text) => escaped(text, cell)));
    return source.slice(whole[0], from) + unlike(text, node.type) + source.slice(to, whole[1]);
  };
  return { source: source.slice(...whole), html: inline.html, render };
}

/**
 * @param {Node[]} nodes
 * @param {string} source
 * @param {Inline} inline
 */
function addAll(nodes, source, inline) {
  const ends = pairs(nodes.map(({ type, value }) => (type === 'html' ? value : '')));
  for (const [index, node] of nodes.entries()) {
    const [from, to] = range(node);
    const written = source.slice(from, to);
    // With what belongs to no node: blanks at the beginning of the next line.
    const next = nodes[index + 1] ? range(nodes[index + 1])[0] : to;
    if (node.type === 'text') addText(source.slice(from, next), inline);
    else if (node.type === 'break') addBreak(source.slice(from, next), inline);
    else if (node.type === 'html') {
      const end = ends.get(index);
      if (end === 'end') inline.close();
      else if (end) inline.open({ open: written, close: end });
      else inline.point(written);
    } else if (node.children?.length > 0 && !written.startsWith('<')) {
      inline.open({
        open: source.slice(from, range(node.children[0])[0]),
        close: linkLabel(node) ?? source.slice(range(node.children.at(-1))[1], to),
      });
      addAll(node.children, source, inline);
      inline.close();
    } else if (node.type === 'image' || node.type === 'imageReference') inline.point(written);
    else inline.protect(node.value ?? written, written);
  }
}

/**
 * `[text]` and `[text][]` are links by their own text, and `[translation][text]` is what they become.
 * @param {Node} node
 */
function linkLabel({ type, referenceType, label }) {
  return type === 'linkReference' && referenceType !== 'full' ? `][${label}]` : undefined;
}

/**
 * @param {string} text
 * @param {Inline} inline
 */
function addText(text, inline) {
  // Behind the end of a line stand the marks of the quotations and lists that it is in.
  addLines(text, inline, (line) => inline.text(characters(unescaped(line))), /^[\s>]*/);
}

/** @param {string} text */
function unescaped(text) {
  // What looks like a reference is none behind a backslash.
  return text.replace(/\\&/g, '&amp;').replace(/\\([!-%'-/:-@[-`{-~])/g, '$1');
}

/**
 * @param {string} text
 * @param {boolean} cell of a table
 */
function escaped(text, cell) {
  const safe = text.replace(/[\\`*[\]<]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|&(?=#?\w+;)|~(?=~)/gu, '\\$&');
  return cell ? safe.replaceAll('|', '\\|') : safe;
}

/**
 * A paragraph whose line does not begin as something else would.
 * @param {string} text
 * @param {string} type of the node
 */
function unlike(text, type) {
  if (type !== 'paragraph') return text;
  return text.replace(
    /(^|\n[\s>]*(?![\s>]))(?:([#+>-](?=[\s>]|$)|[-=]+[^\S\n]*(?=\n|$))|(\d{1,9})([.)](?=\s|$)))/g,
    (_, begin, mark, number, dot) => (mark ? `${begin}\\${mark}` : `${begin}${number}\\${dot}`),
  );
}

/**
 * @param {Node} node
 * @returns {[number, number]}
 */
function range(node) {
  return [node.position.start.offset, node.position.end.offset];
}
