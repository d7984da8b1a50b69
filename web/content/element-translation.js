import { Translator } from '../api/translator.js';
import { AttributeText } from './attribute-text.js';
import { isInline, Passage, runAround, stretchesOf } from './passage.js';
import { skipsTranslation, TRANSLATED_ATTRIBUTES } from './translatable-content.js';

/**
 * Translation of a living piece of a page. Text nodes and a few attributes change, and elements within a sentence go with their
 * words: they are moved, never made anew, so that their listeners and their identity stay. What the visitor sees comes first,
 * what the page adds later follows, and all of it can be taken back.
 *
 * @typedef {object} ElementTranslation
 * @property {Promise<void>} finished when everything that was there at the start is translated
 * @property {() => void} undo ends the translation and puts back exactly what was there
 *
 * @typedef {import('../markup/weave.js').Words} Words
 * @typedef {Pick<Translator, 'sourceLanguage' | 'targetLanguage' | 'translate'>} TextTranslator
 */

// Enough for the engine to fill its rows, few enough that what scrolls into view need not wait long.
const IN_FLIGHT = 8;
const FIRST_VIEW_MS = 100;

/**
 * @param {Element} root
 * @param {(import('../api/translator.js').TranslatorLanguages | {translator: TextTranslator}) &
 *   import('../api/destroyable-model.js').CreateEvents} options `signal` ends the translation; what is translated by then stays.
 *   `translator` is one that is there already, or stands for one elsewhere, as in an extension; it stays the caller's
 * @returns {Promise<ElementTranslation>} when the model is loaded; what it cannot load rejects as `Translator.create` does
 * @example
 * const translation = await translateElement(document.body, { sourceLanguage: 'en', targetLanguage: 'de' });
 * undoButton.onclick = () => translation.undo();
 */
export async function translateElement(root, options) {
  if (!('translator' in options)) return new LiveTranslation(root, await Translator.create(options), options.signal);
  const { sourceLanguage, targetLanguage } = options.translator;
  const translate = options.translator.translate.bind(options.translator);
  return new LiveTranslation(root, { sourceLanguage, targetLanguage, translate, destroy: () => {} }, options.signal);
}
// A minifier renames the function, but not what pages see.
Object.defineProperty(translateElement, 'name', { value: 'translateElement' });

class LiveTranslation {
  #root;
  #translator;
  /** Which text a node of the page is part of. @type {Map<Node, Passage | AttributeText>} */
  #owners = new Map();
  /** In document order. @type {Set<Passage | AttributeText>} */
  #waiting = new Set();
  /** Elements that are in or near the window. @type {Set<Element>} */
  #inView = new Set();
  #working = 0;
  #ended = false;
  /** The same words (menus, buttons) are translated once. @type {Map<string, Promise<{translation: string, words: Words}>>} */
  #known = new Map();
  #views = new IntersectionObserver((entries) => this.#onViews(entries), { rootMargin: '25%' });
  #changes = new MutationObserver((records) => this.#onChanges(records));
  #language;
  /** @type {(error?: unknown) => void} */
  #finish = () => {};

  /**
   * @param {Element} root
   * @param {TextTranslator & Pick<Translator, 'destroy'>} translator
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
    this.#collectAttributes(root);
    this.#collectIn(root);
    root.setAttribute('lang', translator.targetLanguage);
    this.#observe();
    signal?.addEventListener('abort', () => this.#end(signal.reason), { once: true });
    // The observer reports what is in view with the next frame, and that begins the work. A hidden page has no frames.
    setTimeout(() => this.#advance(), FIRST_VIEW_MS);
  }

  undo() {
    this.#end();
    for (const text of new Set(this.#owners.values())) text.restore();
    this.#owners.clear();
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

  #skips = (/** @type {Element} */ element) => skipsTranslation(element, this.#root, this.#translator.sourceLanguage);

  /** @param {Element} top */
  #collectAttributes(top) {
    for (const element of [top, ...top.querySelectorAll('*')]) {
      for (const name of TRANSLATED_ATTRIBUTES) this.#collectAttribute(element, name);
    }
  }

  /**
   * @param {Element} element
   * @param {string} name
   */
  #collectAttribute(element, name) {
    const attribute = element.getAttributeNode(name);
    if (attribute && !this.#skips(element)) this.#take(new AttributeText(element, attribute));
  }

  /**
   * Takes up what there is to read in an element, in passages.
   * @param {Element} element
   */
  #collectIn(element) {
    /** @type {Node[]} */
    let run = [];
    const finish = () => {
      this.#collectRun(element, run);
      run = [];
    };
    for (const child of [...element.childNodes]) {
      if (isInline(child)) {
        run.push(child);
      } else {
        finish();
        if (child instanceof Element) this.#collectIn(child);
      }
    }
    finish();
  }

  /**
   * @param {Element} element
   * @param {Node[]} run of its children, inline and side by side
   */
  #collectRun(element, run) {
    // In what is not to be translated there may be something that is.
    const stretches = this.#skips(element)
      ? run.filter((node) => node instanceof Element).map((node) => [node])
      : stretchesOf(run);
    for (const nodes of stretches) {
      const passage = new Passage(element, nodes, this.#skips);
      for (const closed of passage.closed) this.#collectIn(closed);
      this.#take(passage);
    }
  }

  /**
   * Takes up a node that came or changed, with the sentence that it is part of.
   * @param {Node} node
   */
  #collect(node) {
    if (!node.isConnected || !this.#root.contains(node)) return;
    if (node !== this.#root && isInline(node)) {
      const run = runAround(node, this.#root, this.#skips);
      if (this.#isKnown(run)) return;
      for (const one of run) this.#release(one);
      // What has been put back are not the same nodes.
      const again = node.isConnected ? runAround(node, this.#root, this.#skips) : [];
      if (again[0]?.parentElement) this.#collectRun(again[0].parentElement, again);
    } else if (node instanceof Element) {
      this.#collectIn(node);
    }
  }

  /** @param {Node[]} run whether it is one text already, and as it was put there */
  #isKnown(run) {
    const text = this.#owners.get(run[0]);
    if (!(text instanceof Passage) || !text.untouched) return false;
    const { nodes } = text;
    return nodes.length === run.length && nodes.every((node, index) => node === run[index]);
  }

  /** @param {Passage | AttributeText} text */
  #take(text) {
    if (!text.hasWords || text.parts.some((part) => this.#owners.get(part)?.untouched)) return;
    for (const part of text.parts) {
      this.#release(part);
      this.#owners.set(part, text);
    }
    this.#waiting.add(text);
    this.#views.observe(text.element);
  }

  /**
   * Puts back the text that a node is part of, as far as the page has not changed it: its parts may be parts of another one.
   * @param {Node} node
   */
  #release(node) {
    const text = this.#owners.get(node);
    if (!text) return;
    for (const part of text.parts) this.#owners.delete(part);
    this.#waiting.delete(text);
    text.restore();
    // Our own change is no news.
    this.#changes.takeRecords();
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
    for (const { type, target, addedNodes, removedNodes, previousSibling, nextSibling, attributeName } of records) {
      if (type === 'attributes') {
        this.#collectAttribute(/** @type {Element} */ (target), attributeName ?? '');
      } else if (type === 'characterData') {
        if (!this.#owners.get(target)?.untouched) this.#collect(target);
      } else {
        for (const node of removedNodes) this.#forget(node);
        // What stood beside it may be another sentence now.
        for (const node of [...addedNodes, previousSibling, nextSibling]) if (node) this.#collect(node);
        for (const node of addedNodes) if (node instanceof Element && node.isConnected) this.#collectAttributes(node);
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
    this.#release(node);
    for (const text of this.#waiting) if (node.contains(text.element)) this.#release(text.parts[0]);
  }

  #advance() {
    while (!this.#ended && this.#working < IN_FLIGHT && this.#waiting.size > 0) this.#work(this.#next());
    if (this.#working === 0 && this.#waiting.size === 0) this.#finish();
  }

  /** The first text in view, or the first of all. */
  #next() {
    for (const text of this.#waiting) if (this.#inView.has(text.element)) return text;
    return /** @type {Passage | AttributeText} */ (this.#waiting.values().next().value);
  }

  /** @param {Passage | AttributeText} text */
  async #work(text) {
    this.#waiting.delete(text);
    this.#working++;
    try {
      const { translation, words } = await this.#translate(text);
      // What the page has done meanwhile counts first: it may have put something else there.
      this.#onChanges(this.#changes.takeRecords());
      if (!this.#ended && this.#owners.get(text.parts[0]) === text) this.#put(text, translation, words);
    } catch (error) {
      this.#end(error);
    } finally {
      this.#working--;
      this.#advance();
    }
  }

  /**
   * @param {Passage | AttributeText} text
   * @param {string} translation
   * @param {Words} words
   */
  #put(text, translation, words) {
    text.put(translation, words);
    for (const part of text.parts) this.#owners.set(part, text);
    this.#changes.takeRecords();
  }

  /** @param {Passage | AttributeText} text */
  #translate({ text, hasMarks }) {
    const key = `${hasMarks} ${text}`;
    const known = this.#known.get(key) ?? this.#ask(text, hasMarks);
    this.#known.set(key, known);
    return known;
  }

  /**
   * @param {string} text
   * @param {boolean} alignment
   */
  async #ask(text, alignment) {
    /** @type {Words} */
    let words = { source: [], target: [], links: [] };
    const translation = await this.#translator.translate(text, { alignment, onAlignment: (found) => (words = found.words) });
    return { translation, words };
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
