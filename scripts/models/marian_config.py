"""Marian's description of a transformer of ours, as Bergamot reads it out of the weight file. Marian insists on every key."""

TEMPLATE = """bert-train-type-embeddings: true
bert-type-vocab-size: 2
dec-cell: {cell}
dec-cell-base-depth: 2
dec-cell-high-depth: 1
dec-depth: {decoder_layers}
dim-emb: {d_model}
dim-rnn: 1024
dim-vocabs:
  - {vocab_size}
  - {target_vocabulary}
enc-cell: gru
enc-cell-depth: 1
enc-depth: {encoder_layers}
enc-type: bidirectional
factors-combine: sum
factors-dim-emb: 0
input-types:
  []
layer-normalization: false
lemma-dim-emb: 0
lemma-dependency: ""
right-left: false
skip: false
tied-embeddings: {separate}
tied-embeddings-all: {shared}
tied-embeddings-src: false
transformer-aan-activation: swish
transformer-aan-depth: 2
transformer-aan-nogate: false
transformer-decoder-autoreg: {autoreg}
transformer-decoder-dim-ffn: 0
transformer-decoder-ffn-depth: 0
transformer-depth-scaling: false
transformer-dim-aan: 2048
transformer-dim-ffn: {encoder_ffn_dim}
transformer-ffn-activation: relu
transformer-ffn-depth: 2
transformer-flat-aan: false
transformer-guided-alignment-layer: last
transformer-heads: {encoder_attention_heads}
transformer-no-affine: false
transformer-no-bias: false
transformer-no-projection: false
transformer-pool: false
transformer-postprocess: dan
transformer-postprocess-emb: d
transformer-postprocess-top: ""
transformer-preprocess: ""
transformer-rnn-projection: false
transformer-tied-layers:
  []
transformer-train-position-embeddings: false
type: transformer
ulr: false
ulr-dim-emb: 0
ulr-trainable-transformation: false
version: v1.9.56
"""


def marian_config(config):
    """YAML, from the content of a model folder's config.json."""
    if config['activation_function'] != 'relu' or config['normalize_before']:
        raise ValueError('only post-norm transformers with ReLU are exported')
    ssru, shared = config.get('decoder_unit') == 'ssru', config['share_encoder_decoder_embeddings']
    return TEMPLATE.format(
        **config, cell='ssru' if ssru else 'gru', autoreg='rnn' if ssru else 'self-attention',
        shared=str(shared).lower(), separate=str(not shared).lower(),
        target_vocabulary=config.get('decoder_vocab_size', config['vocab_size']))
