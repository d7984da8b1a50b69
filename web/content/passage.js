import { INLINE } from '../markup/html.js';
import { hasWords, MOST_MARKS, SectionBuilder } from '../markup/section.js';
import { weave } from '../markup/weave.js';

/**
 * A stretch of a page that is read as one text: sibling nodes, and what is in them, up to the next thing that ends a sentence.
 * Its translation is woven into the very same nodes. No element leaves its parent, and no text node does: who holds one (the
 * page's framework, say) still finds it there.
 *
 * @typedef {import('../markup/section.js').Section<Node>} NodeSection
 * @typedef {import('../markup/weave.js').Woven<Node>} WovenNode
 */

// Elements within elements, beyond which each stands for itself. Nobody writes that; it bounds the search for what is inline.
const DEEPEST = 40;

/** What one element of a passage holds: nodes side by side. */
class Place {
  #before;
  /** What each text was, and what it has become. @type {Map<Text, {original: string, translated: string}>} */
  #texts = new Map();
  /** @type {Text[]} */
  #added = [];

  /**
   * @param {Node} parent
   * @param {Node[]} nodes
   */
  constructor(parent, nodes) {
    this.parent = parent;
    /** As they are now. */
    this.nodes = nodes;
    this.#before = nodes;
    for (const node of nodes) if (node instanceof Text) this.#texts.set(node, { original: node.data, translated: node.data });
  }

  /** @param {(string | Node)[]} content text, and in some order the nodes that are none */
  put(content) {
    const spare = [...this.#texts.keys()];
    const after = joined(content).map((piece) => (typeof piece === 'string' ? this.#write(spare.shift(), piece) : piece));
    const end = this.nodes.at(-1)?.nextSibling ?? null;
    this.nodes = [...after, ...spare.map((text) => this.#write(text, ''))];
    arrange(this.parent, this.nodes, end);
  }

  /** Puts back what was there. What the page itself has changed since is the page's. */
  restore() {
    const still = (/** @type {Node} */ node) => node.parentNode === this.parent;
    const last = this.nodes.findLast(still);
    const end = last?.nextSibling ?? null;
    for (const [text, { original, translated }] of this.#texts) if (text.data === translated) text.data = original;
    if (last) arrange(this.parent, this.#before.filter(still), end);
    for (const text of this.#added) if (text.data === '') text.remove();
  }

  get untouched() {
    return [...this.#texts].every(([text, { translated }]) => text.data === translated);
  }

  /**
   * @param {Text | undefined} text a new one if there is none
   * @param {string} translated
   */
  #write(text, translated) {
    const own = text ?? document.createTextNode('');
    if (!text) this.#added.push(own);
    this.#texts.set(own, { original: own.data, translated });
    own.data = translated;
    return own;
  }
}

export class Passage {
  #builder;
  #section;
  /** Of the nodes, and of what each opened element holds. @type {Place[]} */
  #places = [];
  /** Elements in it that it does not look into. @type {Element[]} */
  closed = [];

  /**
   * @param {Element} element whose children they are
   * @param {Node[]} nodes side by side, all of them inline
   * @param {(element: Element) => boolean} skips whether an element's text is not to be translated
   */
  constructor(element, nodes, skips) {
    this.element = element;
    this.#builder = /** @type {SectionBuilder<Node>} */ (new SectionBuilder(nodes.map((node) => node.textContent).join(' ')));
    this.#places.push(new Place(element, nodes));
    for (const node of nodes) this.#read(node, skips);
    /** @type {NodeSection} */
    this.#section = this.#builder.finish();
  }

  get text() {
    return this.#section.text;
  }

  get hasWords() {
    return hasWords(this.#section);
  }

  /** Whether its translation needs to know which word stands for which. */
  get hasMarks() {
    return this.#section.marks.length > 0;
  }

  get nodes() {
    return this.#places[0].nodes;
  }

  /** Every node whose change by the page is a change of this text. */
  get parts() {
    return this.#places.flatMap((place) => place.nodes);
  }

  /** Whether the page has left the texts as they are. */
  get untouched() {
    return this.#places.every((place) => place.untouched);
  }

  /**
   * @param {string} translation of text
   * @param {import('../markup/weave.js').Words} words
   */
  put(translation, words) {
    const { lead, trail } = this.#section;
    this.#put(this.#places[0], [lead, ...weave(this.#section, translation, words), trail]);
  }

  restore() {
    for (const place of this.#places) place.restore();
  }

  /**
   * @param {Place} place
   * @param {WovenNode[]} woven
   */
  #put(place, woven) {
    place.put(woven.map((piece) => (typeof piece === 'string' ? piece : piece.what)));
    for (const piece of woven) {
      if (typeof piece === 'string' || typeof piece.what === 'string') continue;
      const within = this.#places.find(({ parent }) => parent === piece.what);
      if (within) this.#put(within, piece.content);
    }
  }

  /**
   * @param {Node} node
   * @param {(element: Element) => boolean} skips
   */
  #read(node, skips) {
    if (node instanceof Text) return this.#builder.text(node.data);
    if (!(node instanceof Element)) return this.#builder.point(node);
    if (isClosed(node) || skips(node)) {
      this.closed.push(node);
      // What is drawn, or not shown at all, is no word of the sentence; what is written is.
      const isWritten = node.localName !== 'svg' && /\S/.test(node.textContent ?? '') && displayOf(node) !== 'none';
      return isWritten ? this.#builder.protect(node) : this.#builder.point(node);
    }
    this.#places.push(new Place(node, [...node.childNodes]));
    this.#builder.open(node, node);
    for (const child of node.childNodes) this.#read(child, skips);
    this.#builder.close(node, () => node, node);
  }
}

/**
 * The run of inline nodes, all children of one element, that a node belongs to.
 * @param {Node} node that is inline
 * @param {Element} root
 * @param {(element: Element) => boolean} skips
 */
export function runAround(node, root, skips) {
  let top = node;
  for (let up = top.parentElement; up && up !== root && isInline(up) && !isClosed(up) && !skips(up); up = up.parentElement)
    top = up;
  const run = [top];
  for (let at = top.previousSibling; at && isInline(at); at = at.previousSibling) run.unshift(at);
  for (let at = top.nextSibling; at && isInline(at); at = at.nextSibling) run.push(at);
  return run;
}

/**
 * Cut where there is more in it than belongs into one text.
 * @param {Node[]} run
 */
export function* stretchesOf(run) {
  /** @type {Node[]} */
  let stretch = [];
  let size = 0;
  for (const node of run) {
    const marks = node instanceof Element ? 1 + node.getElementsByTagName('*').length : 1;
    if (stretch.length > 0 && size + marks > MOST_MARKS) {
      yield stretch;
      [stretch, size] = [[], 0];
    }
    stretch.push(node);
    size += marks;
  }
  if (stretch.length > 0) yield stretch;
}

/**
 * Whether a node is part of the sentence around it: by its name, by how the page shows it, and by what is in it.
 * @param {Node} node
 * @returns {boolean}
 */
export function isInline(node, depth = 0) {
  if (!(node instanceof Element)) return node instanceof CharacterData;
  if (!INLINE.has(node.localName) || depth > DEEPEST || !/^(inline|contents|none)$/.test(displayOf(node))) return false;
  return isClosed(node) || [...node.childNodes].every((child) => isInline(child, depth + 1));
}

/**
 * Whether what is in an element is no part of the sentence, whatever it is.
 * @param {Element} element
 */
function isClosed(element) {
  return /^(svg|math|canvas|object|audio|video|img|input)$/.test(element.localName) || displayOf(element) === 'none';
}

/** @param {Element} element */
function displayOf(element) {
  return getComputedStyle(element).display;
}

/**
 * Neighbouring texts as one, empty ones left out.
 * @param {(string | Node)[]} content
 */
function joined(content) {
  /** @type {(string | Node)[]} */
  const pieces = [];
  for (const piece of content) {
    if (typeof piece === 'string' && typeof pieces.at(-1) === 'string') pieces[pieces.length - 1] += piece;
    else if (piece !== '') pieces.push(piece);
  }
  return pieces;
}

/**
 * Brings nodes of a parent into an order; those that are in it already stay untouched.
 * @param {Node} parent
 * @param {Node[]} nodes
 * @param {Node | null} end what comes behind them
 */
function arrange(parent, nodes, end) {
  const focused = document.activeElement;
  let next = end;
  for (const node of nodes.toReversed()) {
    if (node.parentNode !== parent || node.nextSibling !== next) parent.insertBefore(node, next);
    next = node;
  }
  // A move takes the focus from what is moved.
  if (focused !== document.activeElement && focused instanceof HTMLElement) focused.focus({ preventScroll: true });
}
