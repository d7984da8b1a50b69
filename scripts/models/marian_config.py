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
{omit_bias}right-left: false
skip: false
tied-embeddings: {tied}
tied-embeddings-all: {tied_all}
tied-embeddings-src: {tied_source}
transformer-aan-activation: swish
transformer-aan-depth: 2
transformer-aan-nogate: false
transformer-decoder-autoreg: {autoreg}
transformer-decoder-dim-ffn: {decoder_ffn}
transformer-decoder-ffn-depth: 0
transformer-depth-scaling: false
transformer-dim-aan: 2048
transformer-dim-ffn: {encoder_ffn_dim}
transformer-ffn-activation: {activation}
transformer-ffn-depth: 2
transformer-flat-aan: false
transformer-guided-alignment-layer: last
transformer-heads: {encoder_attention_heads}
transformer-no-affine: false
transformer-no-bias: false
transformer-no-projection: false
transformer-pool: false
transformer-postprocess: {postprocess}
transformer-postprocess-emb: {embedding_norm}
transformer-postprocess-top: {final_norm}
transformer-preprocess: {preprocess}
transformer-rnn-projection: false
transformer-tied-layers:
  {tied_layers}
transformer-train-position-embeddings: {trained}
type: transformer
ulr: false
ulr-dim-emb: 0
ulr-trainable-transformation: false
version: v1.9.56
"""


ACTIVATIONS = {'relu': 'relu', 'silu': 'swish', 'quick_gelu': 'gelu'}
# What Marian has no option for; the values are also those of a field that is not there.
MUST_BE = {'layer_norm': 'variance', 'layer_norm_eps': 1e-6, 'projections': 'separate', 'decoder_start': 'zero',
           'eos_token_id': 0, 'position_offset': 0}
HAS_NONE = 'head_dim', 'encoder_d_model', 'er_normalize_before', 'forced_bos_token_id'


def check(config):
    """That Marian can describe such a model."""
    norm_first, layers = config['normalize_before'], config['encoder_layers']
    final = [config.get(side + '_final_norm', norm_first) for side in ('encoder', 'decoder')]
    learned = config['position_embedding'] == 'learned'
    wrong = [key for key, value in MUST_BE.items() if config.get(key, value) != value]
    wrong += [key for key in config if key.endswith(HAS_NONE)]
    fine = {
        'activation_function': config['activation_function'] in ACTIVATIONS, 'decoder_final_norm': final[0] == final[1],
        'position_embedding': learned or config['position_embedding'] == 'sinusoidal',
        'scale_embedding': config['scale_embedding'] != learned, 'decoder_unit': not (norm_first and 'decoder_unit' in config),
        'encoder_tied_layers': config.get('encoder_tied_layers', list(range(layers))) == list(range(layers)),
        'decoder_attention_heads': config['decoder_attention_heads'] == config['encoder_attention_heads']}
    wrong += [key for key, is_fine in fine.items() if not is_fine]
    if wrong:
        raise ValueError('Marian has no such ' + ', '.join(sorted(set(wrong))))


def marian_config(config):
    """YAML, from the content of a model folder's config.json."""
    check(config)
    ssru, shared = config.get('decoder_unit') == 'ssru', config['share_encoder_decoder_embeddings']
    tied, norm_first = config.get('tie_word_embeddings', True), config['normalize_before']

    def flag(value):
        return str(bool(value)).lower()
    return TEMPLATE.format(
        **config, cell='ssru' if ssru else 'gru', autoreg='rnn' if ssru else 'self-attention',
        tied_all=flag(shared and tied), tied=flag(tied and not shared), tied_source=flag(shared and not tied),
        omit_bias='' if config.get('output_bias', True) else 'output-omit-bias: true\n',
        activation=ACTIVATIONS[config['activation_function']],
        decoder_ffn=0 if config['decoder_ffn_dim'] == config['encoder_ffn_dim'] else config['decoder_ffn_dim'],
        preprocess='n' if norm_first else '""', postprocess='da' if norm_first else 'dan',
        embedding_norm='nd' if config.get('normalize_embedding', False) else 'd',
        final_norm='n' if config.get('decoder_final_norm', norm_first) else '""',
        tied_layers='\n  '.join(f'- {layer + 1}' for layer in config.get('decoder_tied_layers', [])) or '[]',
        trained=flag(config['position_embedding'] == 'learned'),
        target_vocabulary=config.get('decoder_vocab_size', config['vocab_size']))
