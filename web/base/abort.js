import { exception } from './errors.js';

/**
 * Of some signals whichever is aborted first: of an AbortSignal what the calls of a model need. It holds nothing of them but while
 * somebody listens. Firefox (ESR 153) keeps all that `AbortSignal.any` ever made of a signal as long as that one lives: 0.3 to
 * 0.9 KB for each call of a translator.
 */
export class EitherSignal {
  #signals;

  /** @param {AbortSignal[]} signals of two that are aborted already the first counts */
  constructor(signals) {
    this.#signals = signals;
  }

  get aborted() {
    return this.#signals.some(({ aborted }) => aborted);
  }

  get reason() {
    return this.#signals.find(({ aborted }) => aborted)?.reason;
  }

  throwIfAborted() {
    for (const signal of this.#signals) signal.throwIfAborted();
  }

  /**
   * @param {'abort'} type
   * @param {() => void} listener called for each of the signals, unless it is removed
   */
  addEventListener(type, listener) {
    for (const signal of this.#signals) signal.addEventListener(type, listener);
  }

  /**
   * @param {'abort'} type
   * @param {() => void} listener
   */
  removeEventListener(type, listener) {
    for (const signal of this.#signals) signal.removeEventListener(type, listener);
  }
}

/**
 * @template T
 * @param {Promise<T>} promise
 * @param {AbortSignal | EitherSignal | undefined} signal
 * @returns {Promise<T>} rejected with the signal's reason as soon as that aborts
 */
export function untilAborted(promise, signal) {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** How long to wait for what should take far less, and of which a browser says no more when it hangs. */
export const PATIENCE_MS = 30_000;
/** And for the engine, of which nothing is heard until all of it is here: 0.3 MB over the slowest of lines. */
export const ENGINE_PATIENCE_MS = 150_000;

/**
 * @template T
 * @param {Promise<T>} promise
 * @returns {Promise<T>} rejected with an OperationError when that takes too long
 */
export function within(promise) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(exception('OperationError', `The browser did not answer for ${PATIENCE_MS / 1000} seconds.`)),
      PATIENCE_MS,
    );
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * A task later: after everything that is already queued, and after what the listeners of an event have set off. By a message,
 * since browsers make nested timers wait for 4 ms.
 * @returns {Promise<void>}
 */
export function nextTask() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
