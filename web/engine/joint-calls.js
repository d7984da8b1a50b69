/**
 * Calls that are parts of one: who stops it stops all of them, and of their errors the first is told, which ends the others.
 *
 * @typedef {import('./engine.js').Call} Call
 */
export class JointCalls {
  #onError;
  /** @type {Set<() => void>} */
  #stops = new Set();
  stopped = false;

  /** @param {Call['onError']} onError the one call's */
  constructor(onError) {
    this.#onError = onError;
  }

  /** How many are under way. */
  get size() {
    return this.#stops.size;
  }

  stop() {
    this.stopped = true;
    for (const stopOne of this.#stops) stopOne();
  }

  /**
   * @param {{translate: (call: Call) => () => void}} engine or route
   * @param {Call} part its errors are told as the one call's
   */
  start(engine, part) {
    const stopOne = engine.translate({
      ...part,
      onError: (error) => {
        if (this.stopped) return;
        this.stop();
        this.#onError(error);
      },
      onDone: (result) => {
        this.#stops.delete(stopOne);
        part.onDone(result);
      },
    });
    this.#stops.add(stopOne);
  }
}
