import { chain, concatenate } from './alignment.js';
import { Engine } from './engine.js';
import { JointCalls } from './joint-calls.js';
import { sum } from './statistics.js';

/**
 * From one language to another: one engine, or two in a row that meet in English. To its user both look the same.
 *
 * @typedef {import('../models/manifest.js').Model} Model
 * @typedef {import('./engine.js').Call} Call
 * @typedef {import('./alignment.js').Alignment} Alignment
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
  /** Of each piece, and how long its translation is. @type {{alignment?: Alignment, length: number}[]} */
  const found = pieces.map((text, index) => ({ length: index % 2 ? text.length : 0 }));
  const calls = new JointCalls(call.onError);
  /** @type {(Statistics | undefined)[]} */
  const statistics = [];
  let next = 0;
  let unsent = '';
  /** @type {string[]} */
  let alternatives = [];

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
    if (finished) call.onDone({ alternatives, alignment: alignmentOf(pieces, found) });
  };
  /**
   * The options are those of both: the first searches as widely because the second can be no better than what it reads.
   * @param {Engine} engine
   * @param {string} text
   * @param {boolean} streaming
   * @param {Call['onText']} onText
   * @param {Call['onDone']} onDone
   */
  const run = (engine, text, streaming, onText, onDone) => calls.start(engine, { ...call, text, streaming, onText, onDone });

  pieces.forEach((piece, index) => {
    if (index % 2) return;
    let middle = '';
    /** @type {Call['onText']} */
    const onText = (text, counts) => {
      output[index].text += text;
      found[index].length += text.length;
      statistics[index] = counts;
      if (index === next && call.streaming) flush();
    };
    const collect = (/** @type {string} */ text) => (middle += text);
    run(first, piece, false, collect, ({ alignment: before }) =>
      run(second, middle, call.streaming, onText, ({ alternatives: others, alignment: after }) => {
        if (pieces.length === 1) alternatives = others;
        if (before && after) found[index].alignment = chain(before, after);
        output[index].done = true;
        flush();
      }),
    );
  });
  return () => calls.stop();
}

/**
 * Of all lines together, if they have one.
 * @param {string[]} pieces
 * @param {{alignment?: Alignment, length: number}[]} found
 */
function alignmentOf(pieces, found) {
  let [source, target] = [0, 0];
  const stretches = [];
  for (const [index, { alignment, length }] of found.entries()) {
    if (alignment) stretches.push({ alignment, source, target });
    source += pieces[index].length;
    target += length;
  }
  return stretches.length > 0 ? concatenate(stretches) : undefined;
}
