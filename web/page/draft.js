/**
 * What the visitor typed, kept so that it survives a reload and a change of mind. In the session's storage: it is gone with
 * the tab, as befits a text that was promised not to leave the device.
 *
 * @typedef {{text: string, from: string, to: string}} State
 */
const KEY = 'dragoman draft';

export class Draft {
  /** The state before the last clear or swap. @type {State | undefined} */
  #previous;

  /** @returns {Partial<State>} */
  restore() {
    try {
      return JSON.parse(sessionStorage.getItem(KEY) ?? '{}');
    } catch {
      // Blocked storage, or a draft of another version: begin empty.
      return {};
    }
  }

  /** @param {Partial<State>} state */
  keep(state) {
    try {
      sessionStorage.setItem(KEY, JSON.stringify(state));
    } catch (error) {
      // Over the browser's limit (5 MB), or blocked: the text is still in the page, only a reload would lose it.
      console.warn('Dragoman: the text cannot be kept for a reload.', error);
    }
  }

  /** @param {State} state to go back to */
  remember(state) {
    this.#previous = state;
  }

  get canUndo() {
    return this.#previous !== undefined;
  }

  /** @returns {State | undefined} */
  undo() {
    const state = this.#previous;
    this.#previous = undefined;
    return state;
  }

  /** Typing on means that the change was meant. */
  forget() {
    this.#previous = undefined;
  }
}
