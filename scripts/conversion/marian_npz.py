"""Marian's training format: `model.npz` of F32 arrays under Marian's names, its options in `special:model.yml`.

Matrices are [in, out], embeddings [V, D], vectors [1, n]. Options are as in src/model/marian_config.cpp.
"""
import yaml

import folder
import model_config
import sources
import vocabulary
from errors import ConversionError, require

# Options that change nothing for a Transformer that is not trained; what they are set to does not matter.
WITHOUT_EFFECT = """
    authors bert-class-symbol bert-mask-symbol bert-masking-fraction bert-sep-symbol bert-train-type-embeddings
    bert-type-vocab-size char-conv-filters-num char-conv-filters-widths char-highway char-stride dec-cell-base-depth
    dec-cell-high-depth dim-rnn enc-cell enc-cell-depth enc-type factors-combine lemma-dependency max-length
    output-approx-knn skip transformer-aan-activation transformer-aan-depth transformer-aan-nogate
    transformer-depth-scaling transformer-dim-aan transformer-flat-aan ulr-dim-emb ulr-trainable-transformation version
""".split()
MUST_BE = {
    'factors-dim-emb': '0', 'input-types': [], 'layer-normalization': 'false', 'lemma-dim-emb': '0', 'output-omit-bias': 'false',
    'right-left': 'false', 'special-vocab': [], 'transformer-decoder-ffn-depth': '0', 'transformer-ffn-depth': '2',
    'transformer-no-affine': 'false', 'transformer-no-bias': 'false', 'transformer-no-projection': 'false',
    'transformer-pool': 'false', 'transformer-rnn-projection': 'false', 'type': 'transformer', 'ulr': 'false',
}
ACTIVATIONS = {'relu': 'relu', 'gelu': 'quick_gelu', 'swish': 'silu'}
LAYERS = {          # our sub-layer: Marian's, its matrices
    'self_attn': ('self', {'q_proj': 'q', 'k_proj': 'k', 'v_proj': 'v', 'out_proj': 'o'}),
    'encoder_attn': ('context', {'q_proj': 'q', 'k_proj': 'k', 'v_proj': 'v', 'out_proj': 'o'}),
    'ssru': ('rnn', {'forget': 'f', 'candidate': ''}),
}


class Options:
    """Those of special:model.yml, each taken once; all are text, as they stand there."""

    def __init__(self, text):
        try:
            self.values = yaml.load(text, Loader=yaml.BaseLoader)
        except yaml.YAMLError as error:
            raise ConversionError(f'special:model.yml is no YAML: {error}') from None
        require(isinstance(self.values, dict), 'special:model.yml holds no options')

    def take(self, key, missing=None):
        """The value; `missing` where there is none."""
        value = self.values.pop(key, missing)
        require(value is not None, f'special:model.yml lacks the option {key}')
        return value

    def choose(self, key, known, missing=None):
        """What `known` has for the value."""
        value = self.take(key, missing)
        require(isinstance(value, str) and value in known, f"special:model.yml: {key} is '{value}'; known are "
                + ', '.join(f"'{name}'" for name in known))
        return known[value]

    def number(self, key, missing=None):
        """A whole number."""
        value = self.take(key, missing)
        require(isinstance(value, str) and value.isdecimal(), f"special:model.yml: {key} is '{value}', no whole number")
        return int(value)

    def flag(self, key):
        """True or false."""
        return self.choose(key, {'true': True, 'false': False}, 'false')

    def operations(self, key, known, missing=''):
        """What is done around a layer, d(ropout) left out: a(dd), n(orm)."""
        value = self.take(key, missing).replace('d', '')
        require(value in known, f"special:model.yml: {key} is '{value}' besides dropout; known are "
                + ', '.join(f"'{name}'" for name in known))
        return value

    def expect_empty(self):
        """That every option is known."""
        require(not self.values, f'special:model.yml has options that this converter does not know: {", ".join(self.values)}')


def read_config(options, source, target):
    """(config.json's content, whether positions are trained)"""
    for key in WITHOUT_EFFECT:
        options.take(key, '')
    for key, value in MUST_BE.items():
        found = options.take(key, value)
        require(found == value or (key == 'transformer-decoder-ffn-depth' and found == '2') or (value == [] and found == ''),
                f"special:model.yml: {key} must be {value}, not '{found}'")
    norm_first = options.operations('transformer-preprocess', ('', 'n')) == 'n'
    options.operations('transformer-postprocess', ('a',) if norm_first else ('an',))
    final_norm = options.operations('transformer-postprocess-top', ('', 'n')) == 'n'
    embedding_norm = options.operations('transformer-postprocess-emb', ('', 'n')) == 'n'
    unit = options.choose('transformer-decoder-autoreg', {'self-attention': 'self-attention', 'rnn': 'ssru'}, 'self-attention')
    cell = options.take('dec-cell', '')
    require(unit != 'ssru' or cell == 'ssru', f"special:model.yml: dec-cell must be 'ssru', not '{cell}'")
    require(unit != 'ssru' or not norm_first, 'special:model.yml: SSRUs with a norm before them are not known')
    sizes = options.take('dim-vocabs')
    require(isinstance(sizes, list) and len(sizes) == 2 and all(size.isdecimal() for size in sizes),
            f'special:model.yml: dim-vocabs is {sizes}, not the sizes of two vocabularies')
    tied_all, tied_source, tied = (options.flag('tied-embeddings' + end) for end in ('-all', '-src', ''))
    shared = tied_all or tied_source
    require(not shared or sizes[0] == sizes[1], 'special:model.yml: both sides share one embedding, but not dim-vocabs')
    layers = options.number('dec-depth')
    aligned = options.take('transformer-guided-alignment-layer', 'last')
    require(aligned == 'last' or (aligned.isdecimal() and 0 < int(aligned) <= layers),
            f"special:model.yml: transformer-guided-alignment-layer is '{aligned}', no layer")
    ffn, trained = options.number('transformer-dim-ffn'), options.flag('transformer-train-position-embeddings')
    config = model_config.make_config(
        source, target, int(sizes[0]), options.number('dim-emb'), ffn, options.number('enc-depth'), layers,
        options.number('transformer-heads'), decoder_unit=unit, share_encoder_decoder_embeddings=shared,
        activation_function=options.choose('transformer-ffn-activation', ACTIVATIONS, 'swish'), normalize_before=norm_first,
        encoder_final_norm=final_norm, decoder_final_norm=final_norm, normalize_embedding=embedding_norm,
        tie_word_embeddings=tied_all or tied, scale_embedding=not trained,
        position_embedding='learned' if trained else 'sinusoidal',
        alignment_heads=[[(layers if aligned == 'last' else int(aligned)) - 1, 0]])
    if not shared:
        config['decoder_vocab_size'] = int(sizes[1])
    config['decoder_ffn_dim'] = options.number('transformer-decoder-dim-ffn', '0') or ffn
    tied_layers = options.take('transformer-tied-layers', [])
    if tied_layers:
        config['decoder_tied_layers'] = [int(layer) - 1 for layer in tied_layers]
    options.expect_empty()
    return config


def read_tensors(reader, config):
    """{our name: array}"""
    width, tensors = config['d_model'], {}

    def linear(ours, matrix, bias, inputs, outputs):
        tensors[ours + '.weight'] = reader.take(matrix, (inputs, outputs)).T
        if bias:
            tensors[ours + '.bias'] = reader.take(bias, (1, outputs)).reshape(-1)

    def norm(ours, marians, end=''):
        for part, name in (('weight', 'scale'), ('bias', 'bias')):
            tensors[f'{ours}.{part}'] = reader.take(f'{marians}_ln_{name}{end}', (1, width)).reshape(-1)

    def sublayer_norm(ours, marians):
        norm(ours, marians, '_pre' if config['normalize_before'] else '')

    def sublayer(ours, marians, kind):
        name, matrices = LAYERS[kind]
        for matrix, letter in matrices.items():
            bias = f'{marians}_{name}_b{letter}' if matrix != 'candidate' else None
            linear(f'{ours}.{kind}.{matrix}', f'{marians}_{name}_W{letter}', bias, width, width)
        sublayer_norm(f'{ours}.{kind}_layer_norm', f'{marians}_{name}_' + ('ffn' if kind == 'ssru' else 'Wo'))

    source, target = config['vocab_size'], config.get('decoder_vocab_size', config['vocab_size'])
    if config['share_encoder_decoder_embeddings']:
        tensors['model.shared.weight'] = reader.take('Wemb', (source, width))
    else:
        tensors['model.encoder.embed_tokens.weight'] = reader.take('encoder_Wemb', (source, width))
        tensors['model.decoder.embed_tokens.weight'] = reader.take('decoder_Wemb', (target, width))
    if not config['tie_word_embeddings']:
        tensors['lm_head.weight'] = reader.take('decoder_ff_logit_out_W', (width, target)).T
    tensors['final_logits_bias'] = reader.take('decoder_ff_logit_out_b', (1, target)).reshape(-1)
    positions = reader.take('Wpos') if config['position_embedding'] == 'learned' else None
    for side in ('encoder', 'decoder'):
        if positions is not None:
            tensors[f'model.{side}.embed_positions.weight'] = positions
        if config['normalize_embedding']:
            norm(f'model.{side}.layernorm_embedding', f'{side}_emb', '_pre')
        if config[f'{side}_final_norm']:
            norm(f'model.{side}.layer_norm', f'{side}_top')
        owners = config.get('decoder_tied_layers') if side == 'decoder' else None
        for i in range(config[f'{side}_layers']):
            if owners and owners[i] != i:
                continue
            ours, marians = f'model.{side}.layers.{i}', f'{side}_l{i + 1}'
            sublayer(ours, marians, 'self_attn' if side == 'encoder' or config['decoder_unit'] != 'ssru' else 'ssru')
            if side == 'decoder':
                sublayer(ours, marians, 'encoder_attn')
            ffn = config[f'{side}_ffn_dim']
            linear(f'{ours}.fc1', f'{marians}_ffn_W1', f'{marians}_ffn_b1', width, ffn)
            linear(f'{ours}.fc2', f'{marians}_ffn_W2', f'{marians}_ffn_b2', ffn, width)
            sublayer_norm(f'{ours}.final_layer_norm', f'{marians}_ffn_ffn')
    reader.expect_empty()
    return tensors


def read(path, source, target):
    """(config.json's content, {our name: array}) of a file."""
    arrays = folder.read_npz(path)
    require('special:model.yml' in arrays, f'{path} lacks special:model.yml: it is no model of Marian\'s')
    text = arrays.pop('special:model.yml').tobytes().split(b'\0')[0].decode('utf-8', 'replace')
    config = read_config(Options(text), source, target)
    tensors = read_tensors(folder.TensorReader(arrays, path), config)
    return config, tensors


def read_vocabularies(paths, ids_paths, sizes, shared):
    """({file name: bytes}, pieces of the source that its ids lack, the number of its unknown piece)"""
    if ids_paths:
        require(len(ids_paths) <= 2, f'--ids takes one file or two, not {len(ids_paths)}')
        ids = [sources.read_yaml_ids(path) for path in ids_paths]
        for found, size in zip((ids[0], ids[-1]), sizes, strict=True):
            require(max(found.values()) < size and found['</s>'] == 0, f'--ids does not fit the model\'s {size} pieces')
        special = [vocabulary.Special('</s>', '<unk>', (), size) for size in sizes]
        return *sources.splitter(paths)(ids[0], ids[-1], special=special, shared=shared), ids[0]['<unk>']
    require(paths, 'the model needs a vocabulary: --vocabulary, --ids or both')
    models = sources.read_models(paths)
    for model, size in zip(models, sizes, strict=True):
        require(len(model.pieces) == size, f'a vocabulary of {len(model.pieces)} pieces does not fit the model\'s {size}; if '
                'they are numbered in a file of their own, name it by --ids')
    if shared and models[0] == models[1]:
        return {'vocab.spm': models[0].encoded()}, [], 1
    return {'source.spm': models[0].encoded(), 'target.spm': models[1].encoded()}, [], 1


def convert(path, paths, ids_paths, out, languages):
    """Write the model folder `out`; paths: SentencePiece models; ids_paths: vocab.yml that number the pieces."""
    config, tensors = read(path, *languages)
    sizes = config['vocab_size'], config.get('decoder_vocab_size', config['vocab_size'])
    files, extra, unknown = read_vocabularies(paths, ids_paths, sizes, config['share_encoder_decoder_embeddings'])
    vocabulary.add_rows(config, tensors, len(extra), unknown)
    folder.write(out, config, tensors, files)
