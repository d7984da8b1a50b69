/**
 * `downloadprogress` as the specification wants it: `loaded` runs from exactly 0 to exactly 1 in rising multiples of
 * 1/65536 (coarse on purpose, so that it tells nothing about other sites' downloads), and falls silent once creation has
 * settled.
 */

const STEPS = 0x10000;

/** Given to the `monitor` callback of `create()`. */
export class CreateMonitor extends EventTarget {
  /** @type {any} */
  #handler = null;

  /** @type {((this: CreateMonitor, event: ProgressEvent) => void) | null} */
  get ondownloadprogress() {
    return this.#handler;
  }

  set ondownloadprogress(handler) {
    if (this.#handler) this.removeEventListener('downloadprogress', this.#handler);
    this.#handler = typeof handler === 'function' ? handler : null;
    if (this.#handler) this.addEventListener('downloadprogress', this.#handler);
  }
}

// Node has no ProgressEvent; there an Event with the same three members serves.
const ProgressEventClass =
  globalThis.ProgressEvent ??
  class ProgressEvent extends Event {
    /**
     * @param {string} type
     * @param {{loaded: number, total: number, lengthComputable: boolean}} init
     */
    constructor(type, { loaded, total, lengthComputable }) {
      super(type);
      Object.assign(this, { loaded, total, lengthComputable });
    }
  };

/** Turns byte counts into the events of one `create()` call. */
export class DownloadProgress {
  #monitor;
  #last = -1;
  #silent = false;

  /** @param {CreateMonitor} monitor */
  constructor(monitor) {
    this.#monitor = monitor;
  }

  /** @param {number} fraction of the download that is done, 0 to 1 */
  report(fraction) {
    const loaded = Math.floor(Math.min(1, Math.max(0, fraction)) * STEPS) / STEPS;
    if (this.#silent || loaded <= this.#last) return;
    // The first event is 0 and 1 is the last, whatever the order and size of the pieces that came.
    if (this.#last < 0 && loaded > 0) this.#fire(0);
    this.#fire(loaded);
  }

  close() {
    this.#silent = true;
  }

  /** @param {number} loaded */
  #fire(loaded) {
    this.#last = loaded;
    this.#monitor.dispatchEvent(new ProgressEventClass('downloadprogress', { loaded, total: 1, lengthComputable: true }));
  }
}
