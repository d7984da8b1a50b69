import { Translator } from '../api/translator.js';
import { skipsTranslation, TRANSLATED_ATTRIBUTES } from './translatable-content.js';

/**
 * Translation of a living piece of a page. Only the characters of text nodes and of a few attributes change: elements, their
 * listeners and their identity stay. What the visitor sees comes first, what the page adds later follows, and all of it can
 * be taken back.
 *
 * Each text node is translated by itself: a sentence that is cut by a link is two texts to the model. (The sections of
 * markup/ are to close that gap: their marks may be nodes as well as tags.)
 *
 * @typedef {object} ElementTranslation
 * @property {Promise<void>} finished when everything that was there at the start is translated
 * @property {() => void} undo ends the translation and puts back exactly what was there
 *
 * @typedef {{node: Text | Attr, original: string, translated: string | undefined}} Piece
 */

// Enough for the engine to fill its rows, few enough that what scrolls into view need not wait long.
const IN_FLIGHT = 8;
const FIRST_VIEW_MS = 100;

/**
 * @param {Element} root
 * @param {import('../api/translator.js').TranslatorLanguages & import('../api/destroyable-model.js').CreateEvents} options
 *   `signal` ends the translation; what is translated by then stays
 * @returns {Promise<ElementTranslation>} when the model is loaded; what it cannot load rejects as `Translator.create` does
 * @example
 * const translation = await translateElement(document.body, { sourceLanguage: 'en', targetLanguage: 'de' });
 * undoButton.onclick = () => translation.undo();
 */
export async function translateElement(root, options) {
  const translator = await Translator.create(options);
  return new LiveTranslation(root, translator, options.signal);
}
// A minifier renames the function, but not what pages see.
Object.defineProperty(translateElement, 'name', { value: 'translateElement' });

class LiveTranslation {
  #root;
  #translator;
  /** @type {Map<Text | Attr, Piece>} */
  #pieces = new Map();
  /** In document order. @type {Set<Piece>} */
  #waiting = new Set();
  /** Elements that are in or near the window. @type {Set<Element | null>} */
  #inView = new Set();
  #working = 0;
  #ended = false;
  /** The same words (menus, buttons) are translated once. @type {Map<string, Promise<string>>} */
  #known = new Map();
  #views = new IntersectionObserver((entries) => this.#onViews(entries), { rootMargin: '25%' });
  #changes = new MutationObserver((records) => this.#onChanges(records));
  #language;
  /** @type {(error?: unknown) => void} */
  #finish = () => {};

  /**
   * @param {Element} root
   * @param {Translator} translator
   * @param {AbortSignal | undefined} signal
   */
  constructor(root, translator, signal) {
    this.#root = root;
    this.#translator = translator;
    this.#language = root.getAttribute('lang');
    /** @type {Promise<void>} */
    this.finished = new Promise((resolve, reject) => {
      this.#finish = (error) => (error ? reject(error) : resolve());
    });
    // Whoever does not ask need not hear of it.
    this.finished.catch(() => {});
    this.#collect(root);
    root.setAttribute('lang', translator.targetLanguage);
    this.#observe();
    signal?.addEventListener('abort', () => this.#end(signal.reason), { once: true });
    // The observer reports what is in view with the next frame, and that begins the work. A hidden page has no frames.
    setTimeout(() => this.#advance(), FIRST_VIEW_MS);
  }

  undo() {
    this.#end();
    this.#changes.disconnect();
    for (const { node, original, translated } of this.#pieces.values()) {
      // What the page itself has changed since is the page's.
      if (translated !== undefined && node.nodeValue === translated) node.nodeValue = original;
    }
    this.#pieces.clear();
    if (this.#language === null) this.#root.removeAttribute('lang');
    else this.#root.setAttribute('lang', this.#language);
  }

  #observe() {
    this.#changes.observe(this.#root, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
      attributeFilter: [...TRANSLATED_ATTRIBUTES],
    });
  }

  /**
   * Takes up every text below a node (or the node itself) that is for people to read.
   * @param {Node} node
   */
  #collect(node) {
    if (node.nodeType !== Node.TEXT_NODE && node.nodeType !== Node.ELEMENT_NODE) return;
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let at = /** @type {Node | null} */ (node); at; at = walker.nextNode()) {
      const element = at instanceof Element ? at : at.parentElement;
      if (!element || this.#skips(element)) continue;
      if (at !== element) this.#take(/** @type {Text} */ (at), element);
      else for (const name of TRANSLATED_ATTRIBUTES) this.#take(element.getAttributeNode(name), element);
    }
  }

  /** @param {Element} element */
  #skips(element) {
    return skipsTranslation(element, this.#root, this.#translator.sourceLanguage);
  }

  /**
   * @param {Text | Attr | null} node
   * @param {Element} element whose text or attribute it is
   */
  #take(node, element) {
    const original = node?.nodeValue;
    if (!node || !original || !/\p{L}/u.test(original)) return;
    const piece = this.#pieces.get(node);
    // Our own change coming back from the observer.
    if (piece && original === (piece.translated ?? piece.original)) return;
    /** @type {Piece} */
    const fresh = { node, original, translated: undefined };
    if (piece) this.#waiting.delete(piece);
    this.#pieces.set(node, fresh);
    this.#waiting.add(fresh);
    this.#views.observe(element);
  }

  /** @param {IntersectionObserverEntry[]} entries */
  #onViews(entries) {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) this.#inView.add(target);
      else this.#inView.delete(target);
    }
    this.#advance();
  }

  /** @param {MutationRecord[]} records */
  #onChanges(records) {
    for (const { type, target, addedNodes, removedNodes, attributeName } of records) {
      if (type === 'childList') {
        for (const node of removedNodes) this.#forget(node);
        for (const node of addedNodes) if (node.isConnected) this.#collect(node);
      } else if (type === 'characterData') {
        this.#collect(target);
      } else {
        const element = /** @type {Element} */ (target);
        if (!this.#skips(element)) this.#take(element.getAttributeNode(attributeName ?? ''), element);
      }
    }
    this.#advance();
  }

  /**
   * What left the page is neither translated nor put back; unless it only moved, then it comes again.
   * @param {Node} node
   */
  #forget(node) {
    if (node.isConnected) return;
    if (node instanceof Element) this.#views.unobserve(node);
    for (const piece of this.#waiting) if (node.contains(ownerOf(piece.node))) this.#waiting.delete(piece);
  }

  #advance() {
    while (!this.#ended && this.#working < IN_FLIGHT && this.#waiting.size > 0) this.#work(this.#next());
    if (this.#working === 0 && this.#waiting.size === 0) this.#finish();
  }

  /** The first piece in view, or the first of all. */
  #next() {
    for (const piece of this.#waiting) if (this.#inView.has(ownerOf(piece.node))) return piece;
    return /** @type {Piece} */ (this.#waiting.values().next().value);
  }

  /** @param {Piece} piece */
  async #work(piece) {
    this.#waiting.delete(piece);
    this.#working++;
    try {
      const translated = await this.#translate(piece.original, ownerOf(piece.node));
      // The page may have put something else there meanwhile; that is a piece of its own by now.
      if (!this.#ended && piece.node.nodeValue === piece.original) {
        piece.translated = translated;
        piece.node.nodeValue = translated;
      }
    } catch (error) {
      this.#end(error);
    } finally {
      this.#working--;
      this.#advance();
    }
  }

  /**
   * Blanks at the ends belong to the layout; line breaks inside, outside <pre>, are blanks.
   * @param {string} text
   * @param {Element | null} element
   */
  async #translate(text, element) {
    const [, before, middle, after] = /** @type {string[]} */ (/^(\s*)(.*?)(\s*)$/su.exec(text));
    const words = element?.closest('pre') ? middle : middle.replace(/\s+/gu, ' ');
    if (!this.#known.has(words)) this.#known.set(words, this.#translator.translate(words));
    return before + (await this.#known.get(words)) + after;
  }

  /** @param {unknown} [error] */
  #end(error) {
    if (this.#ended) return;
    this.#ended = true;
    this.#views.disconnect();
    this.#changes.disconnect();
    this.#waiting.clear();
    this.#translator.destroy();
    this.#finish(error);
  }
}

/** @param {Text | Attr} node */
function ownerOf(node) {
  return 'ownerElement' in node ? node.ownerElement : node.parentElement;
}
