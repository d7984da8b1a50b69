/**
 * What the model attended to while it translated: for each piece that it wrote, how much of each piece that it had read went
 * into what follows; the weights of a row add up to 1. And what that took: the model's dimensions, and the time of each stage.
 *
 * @typedef {import('./alignment.js').Range} Range
 *
 * @typedef {object} Shape of the model
 * @property {number} width of what the decoder computes with for each piece
 * @property {number} encoderWidth
 * @property {number} feedForward width between the two products of an encoder layer's feed-forward network
 * @property {number} encoderLayers
 * @property {number} decoderLayers
 * @property {number} encoderHeads in a layer
 * @property {number} decoderHeads
 * @property {number} vocabulary pieces that it can write
 *
 * @typedef {object} SentenceAttention
 * @property {Range[]} source pieces of the sentence, in the text
 * @property {Range[]} target pieces of its translation, in the translation
 * @property {Float32Array} weights [layers, heads, target pieces, source pieces and the end of the sentence]; empty, where nothing
 *   was translated
 *
 * @typedef {object} Attention
 * @property {Shape} shape
 * @property {number} layers of the decoder
 * @property {number} heads in each
 * @property {SentenceAttention[]} sentences
 * @property {{split: number, encode: number, decode: number}} milliseconds until the text was cut into sentences; for reading
 *   them and the first step of the encoder; for the rest, which is the decoder's, if nothing else was translated meanwhile
 * @property {number} steps of the decoder in that time
 */
export class AttentionRecord {
  #shape;
  /** When what was over, in ms; the first is the beginning. @type {number[]} */
  #times = [performance.now()];

  /** @param {Shape} shape */
  constructor(shape) {
    this.#shape = shape;
  }

  /** The text is cut into sentences. */
  began() {
    this.#times.push(performance.now());
  }

  /** A step of the engine is over: the first is the encoder's. */
  stepped() {
    this.#times.push(performance.now());
  }

  /**
   * @param {import('./alignment.js').Alignment} alignment
   * @param {Float32Array[]} weights of each sentence
   * @param {number} [told] how much of the translation is: of sentences behind that there is nothing
   * @returns {Attention}
   */
  of({ sentences, pieces }, weights, told = Number.POSITIVE_INFINITY) {
    const [start, cut, encoded] = this.#times;
    const within = (/** @type {Range[]} */ parts, /** @type {Range} */ [first, last]) =>
      parts.filter(([begin, end]) => begin >= first && end <= last);
    return {
      shape: this.#shape,
      layers: this.#shape.decoderLayers,
      heads: this.#shape.decoderHeads,
      sentences: weights
        .map((one, i) => ({
          source: within(pieces.source, sentences.source[i]),
          target: within(pieces.target, sentences.target[i]),
          weights: one,
        }))
        .filter((_, i) => sentences.target[i][1] <= told),
      milliseconds: { split: cut - start, encode: encoded - cut, decode: /** @type {number} */ (this.#times.at(-1)) - encoded },
      steps: this.#times.length - 3,
    };
  }
}
