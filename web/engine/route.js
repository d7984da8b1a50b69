import { chain, concatenate } from './alignment.js';
import { Engine } from './engine.js';
import { JointCalls } from './joint-calls.js';
import { concatenate as concatenateScores } from './scores.js';
import { sum } from './statistics.js';

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

  /** Whether there is one engine. */
  get isDirect() {
    return this.#engines.length === 1;
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
  const { prefix, whole, nextWords, sampling, ...options } = call.options;
  // What is said of the translation is for the second engine.
  const between = { ...options, scores: false };
  const oneSentence = prefix !== undefined;
  // Text and line ends alternate; the line ends pass as they are.
  const pieces = oneSentence ? [call.text] : call.text.split(/((?:\r?\n)+)/);
  const output = pieces.map((text, index) => ({ text: index % 2 ? text : '', done: index % 2 === 1 }));
  /** Of each piece, and how long its translation is. @type {(Pick<Result, 'alignment' | 'scores'> & {length: number})[]} */
  const found = pieces.map((text, index) => ({ length: index % 2 ? text.length : 0 }));
  const calls = new JointCalls(call.onError);
  /** @type {(Statistics | undefined)[]} */
  const statistics = [];
  let next = 0;
  let unsent = '';
  /** @type {string[]} */
  let alternatives = [];
  /** @type {Result['nextWords']} */
  let words;

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
    if (finished) call.onDone({ alternatives, nextWords: words, ...ofAll(pieces, found) });
  };
  /**
   * The first engine searches as widely as the second, which can be no better than what it reads.
   * @param {Engine} engine
   * @param {Pick<Call, 'text' | 'streaming' | 'options' | 'onText' | 'onDone'>} part
   */
  const run = (engine, part) => calls.start(engine, { ...call, onAttention: undefined, ...part });

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
    /** @param {Result} before @param {Result} result */
    const onDone = (before, { alternatives: others, alignment, scores, nextWords: next }) => {
      if (pieces.length === 1) alternatives = others;
      if (before.alignment && alignment) found[index].alignment = chain(before.alignment, alignment);
      found[index].scores = scores;
      words = next;
      output[index].done = true;
      flush();
    };
    run(first, {
      text: piece,
      streaming: false,
      options: between,
      onText: collect,
      onDone: (before) =>
        run(second, {
          text: middle,
          streaming: call.streaming,
          options: call.options,
          onText,
          onDone: (result) => onDone(before, result),
        }),
    });
  });
  return () => calls.stop();
}

/**
 * Of all lines together, what they have.
 * @param {string[]} pieces
 * @param {(Pick<Result, 'alignment' | 'scores'> & {length: number})[]} found
 */
function ofAll(pieces, found) {
  let [source, target] = [0, 0];
  /** @type {Parameters<typeof concatenate>[0]} */
  const aligned = [];
  /** @type {Parameters<typeof concatenateScores>[0]} */
  const scored = [];
  for (const [index, { alignment, scores, length }] of found.entries()) {
    if (alignment) aligned.push({ alignment, source, target });
    if (scores) scored.push({ scores, target });
    source += pieces[index].length;
    target += length;
  }
  return {
    alignment: aligned.length > 0 ? concatenate(aligned) : undefined,
    scores: scored.length > 0 ? concatenateScores(scored) : undefined,
  };
}
