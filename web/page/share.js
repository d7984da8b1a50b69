import { message } from './messages.js';

/**
 * Links that carry a text and its languages, in the fragment: browsers send that to nobody. A link may also come from elsewhere
 * with parameters, `?from=en&to=de&text=…`; that part of an address the server does see.
 *
 * @typedef {import('./draft.js').State} State
 */

// What programs that pass links on still take whole.
const LONGEST = 8000;

/**
 * What the page's address asks for. It is taken out of the address: what is typed from then on is the visitor's.
 * @returns {Partial<State>}
 */
export function takeLinked() {
  const query = new URLSearchParams(location.search);
  const fragment = new URLSearchParams(location.hash.slice(1));
  /** @type {Partial<State>} */
  const linked = {};
  let found = false;
  for (const key of /** @type {const} */ (['text', 'from', 'to'])) {
    const value = fragment.get(key) ?? query.get(key);
    if (value === null) continue;
    linked[key] = value;
    found = true;
    query.delete(key);
  }
  if (found) {
    const rest = query.toString();
    history.replaceState(history.state, '', location.pathname + (rest && `?${rest}`));
  }
  return linked;
}

/** @param {State} state */
export function linkTo({ text, from, to }) {
  const url = new URL(location.href);
  url.search = '';
  url.hash = new URLSearchParams({ from, to, text }).toString();
  return url.href;
}

export class ShareButton {
  #button;
  #state;

  /**
   * @param {HTMLButtonElement} button
   * @param {() => State} state
   */
  constructor(button, state) {
    this.#button = button;
    this.#state = state;
    button.addEventListener('click', () => this.#share());
  }

  /** There is something to share, or not. */
  update() {
    const { text, from } = this.#state();
    this.#button.hidden = !text.trim() || !from || linkTo(this.#state()).length > LONGEST;
  }

  async #share() {
    const url = linkTo(this.#state());
    // Phones have a sheet for it.
    if (navigator.share && matchMedia('(pointer: coarse)').matches) {
      // Rejected when the visitor changes their mind.
      return navigator.share({ url }).catch(() => {});
    }
    try {
      await navigator.clipboard.writeText(url);
      this.#button.textContent = message('linkCopied');
    } catch {
      // The browser refused the clipboard: in the address it can be copied by hand.
      history.replaceState(history.state, '', url);
      this.#button.textContent = message('linkInAddress');
    }
    setTimeout(() => (this.#button.textContent = message('share')), 2000);
  }
}
