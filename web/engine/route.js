import { Engine } from './engine.js';

/**
 * From one language to another: one engine, or two in a row that meet in English. To its user both look the same.
 *
 * @typedef {import('../models/manifest.js').Model} Model
 * @typedef {import('./engine.js').Call} Call
 * @typedef {import('./engine.js').Result} Result
 * @typedef {import('./engine.js').Statistics} Statistics
 */
export class Route {
  #leases;
  #engines;

  /** @param {Model[]} models in the order the text passes them */
  constructor(models) {
    this.#leases = models.map((model) => Engine.lease(model));
    this.#engines = this.#leases.map(({ engine }) => engine);
  }

  /** @param {(fraction: number) => void} onProgress of the download of all models, 0 to 1 */
  async load(onProgress) {
    const total = this.#engines.reduce((sum, { model }) => sum + model.bytes, 0);
    const loaded = this.#engines.map(() => 0);
    await Promise.all(
      this.#engines.map((engine, index) =>
        engine.load((bytes) => {
          loaded[index] = bytes;
          onProgress(loaded.reduce((sum, part) => sum + part, 0) / total);
        }),
      ),
    );
  }

  /**
   * @param {Call} call
   * @returns {() => void} stops the work
   */
  translate(call) {
    const [first, second] = this.#engines;
    return second ? translateTwice(first, second, call) : first.translate(call);
  }

  release() {
    for (const lease of this.#leases) lease.release();
  }
}

/**
 * Line by line, because a line is the least that is surely whole after the first engine: the second starts on the first line
 * while the others are still on their way, and lines leave in their order.
 * @param {Engine} first
 * @param {Engine} second
 * @param {Call} call
 */
function translateTwice(first, second, call) {
  // Text and line ends alternate; the line ends pass as they are.
  const pieces = call.text.split(/((?:\r?\n)+)/);
  const output = pieces.map((text, index) => ({ text: index % 2 ? text : '', done: index % 2 === 1 }));
  /** @type {Set<() => void>} */
  const stops = new Set();
  /** @type {(Statistics | undefined)[]} */
  const statistics = [];
  let next = 0;
  let unsent = '';
  let stopped = false;
  /** @type {Result} */
  let result = { alternatives: [] };

  const stop = () => {
    stopped = true;
    for (const stopOne of stops) stopOne();
  };
  /** @type {Call['onError']} */
  const fail = (error) => {
    if (stopped) return;
    stop();
    call.onError(error);
  };
  const flush = () => {
    for (; next < output.length; next++) {
      unsent += output[next].text;
      output[next].text = '';
      if (!output[next].done) break;
    }
    const finished = next === output.length;
    if (unsent && (call.streaming || finished)) {
      call.onText(unsent, sum(statistics));
      unsent = '';
    }
    if (finished) call.onDone(result);
  };
  /**
   * @param {Engine} engine
   * @param {string} text
   * @param {boolean} streaming
   * @param {Call['onText']} onText
   * @param {Call['onDone']} onDone
   */
  const run = (engine, text, streaming, onText, onDone) => {
    const stopOne = engine.translate({
      // The options are those of both: the first searches as widely because the second can be no better than what it reads.
      ...call,
      text,
      streaming,
      onText,
      onError: fail,
      onDone: (found) => {
        stops.delete(stopOne);
        onDone(found);
      },
    });
    stops.add(stopOne);
  };

  pieces.forEach((piece, index) => {
    if (index % 2) return;
    let middle = '';
    /** @type {Call['onText']} */
    const onText = (text, counts) => {
      output[index].text += text;
      statistics[index] = counts;
      if (index === next && call.streaming) flush();
    };
    /** @type {Call['onDone']} */
    const onDone = (found) => {
      if (pieces.length === 1) result = found;
      output[index].done = true;
      flush();
    };
    const collect = (/** @type {string} */ text) => (middle += text);
    run(first, piece, false, collect, () => run(second, middle, call.streaming, onText, onDone));
  });
  return stop;
}

/** @param {(Statistics | undefined)[]} statistics */
function sum(statistics) {
  const total = { tokens: 0, sentences: 0, sentencesDone: 0, memory: 0 };
  for (const counts of statistics) {
    if (!counts) continue;
    total.tokens += counts.tokens;
    total.sentences += counts.sentences;
    total.sentencesDone += counts.sentencesDone;
    total.memory = Math.max(total.memory, counts.memory);
  }
  return total;
}
