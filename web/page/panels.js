import { create } from './elements.js';
import { message } from './messages.js';

/**
 * What there is to see beside the translation, each behind a button of its own and in a module that comes when it is wanted.
 *
 * @typedef {object} Result the translation that is shown
 * @property {string} text
 * @property {string} translation
 * @property {import('./translators.js').Pair} pair
 * @property {import('../engine/alignment.js').Alignment | undefined} alignment
 *
 * @typedef {object} Page what panels may ask of the page
 * @property {import('./history.js').History} history
 * @property {(state: import('./draft.js').State) => void} bring a state into the boxes; undo takes it back
 * @property {(language: string) => string} nameOf
 * @property {(pair: import('./translators.js').Pair) => Promise<import('../dragoman.js').Translator>} translator
 *
 * @typedef {{show: (result: Result) => unknown, close?: () => void}} Panel
 * @typedef {{open: (section: HTMLElement, page: Page) => Panel}} PanelModule
 */

const KEY = 'dragoman panels';

/** @type {Record<string, () => Promise<PanelModule>>} */
const MODULES = {
  attention: () => import('./attention-view.js'),
  how: () => import('./how-it-works.js'),
  history: () => import('./history-view.js'),
};

export class Panels {
  #page;
  /** Those that are open. @type {Map<string, Promise<Panel | undefined>>} */
  #open = new Map();
  /** @type {Result | undefined} */
  #result;

  /**
   * @param {HTMLElement} bar with a button for each, whose `aria-controls` names its section
   * @param {Page} page
   */
  constructor(bar, page) {
    this.#page = page;
    const kept = restore();
    for (const button of bar.querySelectorAll('button')) {
      const name = button.getAttribute('aria-controls') ?? '';
      if (!Object.hasOwn(MODULES, name)) continue;
      const toggle = () => (this.#open.has(name) ? this.#close(name, button) : this.#show(name, button));
      button.addEventListener('click', toggle);
      if (kept.includes(name)) toggle();
    }
  }

  /** @param {Result} result there is a translation to look into */
  show(result) {
    this.#result = result;
    for (const panel of this.#open.values()) panel.then((one) => one?.show(result));
  }

  /**
   * @param {string} name
   * @param {HTMLButtonElement} button
   */
  #show(name, button) {
    const section = /** @type {HTMLElement} */ (document.getElementById(name));
    button.ariaExpanded = 'true';
    section.hidden = false;
    this.#open.set(name, this.#load(name, section));
    this.#keep();
  }

  /**
   * @param {string} name
   * @param {HTMLElement} section
   */
  async #load(name, section) {
    try {
      const { open } = await MODULES[name]();
      if (!this.#open.has(name)) return undefined;
      const heading = create('h2', { textContent: message(/** @type {any} */ (name)) });
      section.replaceChildren(heading);
      const panel = open(section, this.#page);
      if (this.#result) panel.show(this.#result);
      return panel;
    } catch (error) {
      section.replaceChildren(create('p', { textContent: message('panelFailed'), role: 'alert' }));
      console.error(error);
      return undefined;
    }
  }

  /**
   * @param {string} name
   * @param {HTMLButtonElement} button
   */
  #close(name, button) {
    const section = /** @type {HTMLElement} */ (document.getElementById(name));
    this.#open.get(name)?.then((panel) => panel?.close?.());
    this.#open.delete(name);
    button.ariaExpanded = 'false';
    section.hidden = true;
    section.replaceChildren();
    this.#keep();
  }

  #keep() {
    try {
      sessionStorage.setItem(KEY, JSON.stringify([...this.#open.keys()]));
    } catch {
      // They are closed after a reload, then.
    }
  }
}

/** @returns {string[]} names of those that were open */
function restore() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}
