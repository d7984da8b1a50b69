import { EitherSignal, nextTask, untilAborted } from '../base/abort.js';
import { exception, quotaExceeded } from '../base/errors.js';
import { CreateMonitor, DownloadProgress } from './progress.js';

/**
 * What Translator and LanguageDetector have in common: the specification builds both on one set of algorithms for model
 * objects (https://webmachinelearning.github.io/writing-assistance-apis/#supporting).
 *
 * @typedef {CreateMonitor & {addEventListener(type: 'downloadprogress', listener: (event: ProgressEvent) => void): void}} ProgressMonitor
 *
 * @typedef {object} CreateEvents
 * @property {AbortSignal} [signal] aborts the creation; afterwards, destroys what was created
 * @property {(monitor: ProgressMonitor) => void} [monitor]
 */

// The most a single call may hold, in UTF-16 code units: what fits, several times over, in the engine's 32-bit memory.
const INPUT_QUOTA = 2 ** 24;

/** Passed to constructors by `create()`: pages cannot construct these classes, as they cannot the browser's own. */
export const constructing = Symbol('constructing');

/**
 * The frame of every `create()`: monitor, progress from 0 to 1, abort, silence afterwards.
 * @template T
 * @param {CreateEvents} options
 * @param {(report: (fraction: number) => void, signal: AbortSignal | undefined) => Promise<T>} work
 * @param {(made: T) => void} undo when the creation is aborted after all
 * @returns {Promise<T>}
 */
export async function creation({ signal, monitor: callback }, work, undo) {
  signal?.throwIfAborted();
  const monitor = new CreateMonitor();
  // What the callback throws rejects the creation, before anything is fetched.
  callback?.(/** @type {ProgressMonitor} */ (monitor));
  const progress = new DownloadProgress(monitor);
  try {
    // The specification's own interfaces exist in secure contexts only; so do hashes, storage and locks.
    if (globalThis.isSecureContext === false) {
      throw exception('NotSupportedError', 'Dragoman needs a secure context: HTTPS, or localhost.');
    }
    const made = await work((fraction) => progress.report(fraction), signal);
    try {
      progress.report(1);
      // A listener of the last event may still abort the creation.
      await untilAborted(nextTask(), signal);
    } catch (error) {
      undo(made);
      throw error;
    }
    return made;
  } finally {
    progress.close();
  }
}

export class DestroyableModel {
  #destruction = new AbortController();

  /** @param {symbol} key */
  constructor(key) {
    if (key !== constructing) throw new TypeError('Illegal constructor');
  }

  /** @returns {number} the most that `measureInputUsage` may give for a text that is to be worked on */
  get inputQuota() {
    return INPUT_QUOTA;
  }

  /**
   * @param {string} input
   * @param {{signal?: AbortSignal}} [options]
   * @returns {Promise<number>} in UTF-16 code units
   * @example
   * const fits = (await model.measureInputUsage(text)) <= model.inputQuota;
   */
  async measureInputUsage(input, options = {}) {
    const text = stringArgument(arguments);
    await untilAborted(nextTask(), this._signal(options));
    return text.length;
  }

  /**
   * Ends every call that is under way, with an AbortError, and frees what the model holds.
   * @example
   * model.destroy();
   */
  destroy() {
    this._destroy(exception('AbortError', 'The model was destroyed.'));
  }

  /**
   * @protected
   * @param {unknown} reason
   */
  _destroy(reason) {
    if (this.#destruction.signal.aborted) return;
    this.#destruction.abort(reason);
    this._release();
  }

  /** @protected gives back what was held; called once */
  _release() {}

  /**
   * @protected The signal given to `create()` destroys the model later on, without keeping it alive until then.
   * @param {AbortSignal | undefined} signal
   */
  _destroyWith(signal) {
    if (signal?.aborted) return this._destroy(signal.reason);
    const self = new WeakRef(this);
    signal?.addEventListener('abort', () => self.deref()?._destroy(signal.reason), { once: true });
  }

  /**
   * @protected how every call begins: with what is aborted by whichever comes first, the call's own signal or the end of the model
   * @param {{signal?: AbortSignal} | null} options
   */
  _signal(options) {
    requireActiveDocument();
    // Web IDL takes null for an empty dictionary.
    const signal = options?.signal;
    return new EitherSignal(signal ? [this.#destruction.signal, signal] : [this.#destruction.signal]);
  }
}

/**
 * The specification's first step: a document that was left, or whose frame was removed, can begin nothing any more. To be
 * called before the first await: what comes after one never runs in such a document.
 */
export function requireActiveDocument() {
  if (globalThis.document?.defaultView === null) throw exception('InvalidStateError', 'The document is not fully active.');
}

/**
 * @param {IArguments} passed
 * @returns {string} the first argument, converted as Web IDL converts a DOMString
 */
export function stringArgument(passed) {
  if (passed.length === 0) throw new TypeError('One argument, the text, is required.');
  return `${passed[0]}`;
}

/** @param {string} text */
export function requireQuota(text) {
  if (text.length <= INPUT_QUOTA) return;
  const message = `The text has ${text.length} code units; ${INPUT_QUOTA} are the most that one call takes.`;
  throw quotaExceeded(message, { requested: text.length, quota: INPUT_QUOTA });
}
