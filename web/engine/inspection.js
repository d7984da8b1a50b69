/**
 * What a model computes on sentences, for who explains or checks it: every layer's hidden states and attention, from one pass of
 * the encoder and one of the decoder, and the masks that a batch of these sentences has where rows are padded.
 * S and T: pieces of a sentence and of its translation, ends counted. D: width, L: layers, H: heads of a side.
 *
 * @typedef {{shape: number[], values: Float32Array}} Tensor row-major
 *
 * @typedef {object} InspectedSide
 * @property {Int32Array} tokens [T]
 * @property {string[]} pieces [T]
 * @property {Tensor} hidden [L + 1, T, D]: the embeddings, then each layer's; one more of a model with a final norm
 * @property {Tensor | undefined} selfAttention [L, H, T, T]; none of an SSRU decoder
 *
 * @typedef {object} InspectedSentence row t of the target's side is what follows from the tokens before t
 * @property {InspectedSide} source
 * @property {InspectedSide} target
 * @property {Tensor} crossAttention [L, H, T, S]
 * @property {Float32Array} logProbabilities [T], of each target token, given those before it
 *
 * @typedef {object} Masks true: hidden, as PyTorch's masks have it
 * @property {boolean[][]} sourcePadding [sentences, longest]
 * @property {boolean[][]} targetPadding
 * @property {boolean[][]} causal [longest, longest]: a row sees itself and those before it
 *
 * @typedef {{sentences: InspectedSentence[], masks: Masks}} Inspection
 *
 * @typedef {{tokens: Int32Array, pieces: string[], hidden: Float32Array, selfAttention: Float32Array}} FlatSide as the core gives it
 * @typedef {{source: FlatSide, target: FlatSide, crossAttention: Float32Array, logProbabilities: Float32Array}} FlatInspection
 */

/**
 * @param {FlatInspection} flat
 * @param {import('./attention.js').Shape} model
 * @returns {InspectedSentence}
 */
export function fromFlat({ source, target, crossAttention, logProbabilities }, model) {
  return {
    source: side(source, model.encoderWidth, model.encoderLayers, model.encoderHeads),
    target: side(target, model.width, model.decoderLayers, model.decoderHeads),
    crossAttention: {
      shape: [model.decoderLayers, model.decoderHeads, target.tokens.length, source.tokens.length],
      values: crossAttention,
    },
    logProbabilities,
  };
}

/**
 * @param {FlatSide} flat
 * @param {number} width
 * @param {number} layers
 * @param {number} heads
 * @returns {InspectedSide}
 */
function side({ tokens, pieces, hidden, selfAttention }, width, layers, heads) {
  const count = tokens.length;
  return {
    tokens,
    pieces,
    hidden: { shape: [hidden.length / count / width, count, width], values: hidden },
    selfAttention: selfAttention.length > 0 ? { shape: [layers, heads, count, count], values: selfAttention } : undefined,
  };
}

/**
 * @param {InspectedSentence[]} sentences
 * @returns {Masks}
 */
export function masks(sentences) {
  const lengths = (/** @type {'source' | 'target'} */ name) => sentences.map((sentence) => sentence[name].tokens.length);
  const longest = Math.max(0, ...lengths('target'));
  return {
    sourcePadding: padding(lengths('source')),
    targetPadding: padding(lengths('target')),
    causal: padding(Array.from({ length: longest }, (_, i) => i + 1)),
  };
}

/** @param {number[]} lengths */
function padding(lengths) {
  const longest = Math.max(0, ...lengths);
  return lengths.map((length) => Array.from({ length: longest }, (_, i) => i >= length));
}
