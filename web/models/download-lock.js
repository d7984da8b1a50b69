import { PATIENCE_MS } from '../base/abort.js';

/**
 * Has one tab download and the others wait for it, as long as they hear that it gets on: one that holds the lock and does nothing, or
 * a lock that fails, costs a second download and no more, since all of them store the same bytes.
 */
export class DownloadLock {
  #name;
  #silence = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** @param {string} name */
  constructor(name) {
    this.#name = name;
  }

  /** News of the download came from the tab that holds the lock. */
  heard() {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#silence.abort(), PATIENCE_MS);
  }

  /** @param {() => Promise<void>} work */
  async hold(work) {
    // Node before 24 has no Web Locks, and no tabs either.
    if (!globalThis.navigator?.locks) return work();
    let begun = false;
    const once = () => {
      begun = true;
      this.#end();
      return work();
    };
    this.#timer = setTimeout(() => this.#silence.abort(), PATIENCE_MS);
    try {
      // Beside the request: one that is never answered is not answered when it is aborted, either.
      const silent = new Promise((_, reject) => this.#silence.signal.addEventListener('abort', reject, { once: true }));
      const held = navigator.locks.request(this.#name, { signal: this.#silence.signal }, () => (begun ? undefined : once()));
      await Promise.race([held, silent]);
    } catch (error) {
      if (begun) throw error;
      await once();
    }
  }

  #end() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
