"""fairseq's `transformer`: a checkpoint (.pt) and the dictionaries, dict.<language>.txt, beside it.

Both sides end with </s>, and the decoder starts with it; positions count from the padding's number + 1 on; there is no
output bias. Sizes are those of the tensors; what tensors do not tell is read from the options that are kept with them.
"""
import argparse
import os

import numpy as np

import folder
import model_config
import torch_file
import vocabulary
from errors import ConversionError, require

BOS, PAD, EOS, UNKNOWN = range(4)
SPECIAL = ('<s>', '<pad>', '</s>', '<unk>')     # the first four numbers
FIRST_POSITION = PAD + 1
EPS = 1e-5          # PyTorch's layer norm
ACTIVATIONS = {'relu': 'relu', 'gelu': 'gelu', 'gelu_fast': 'gelu_new', 'gelu_accurate': 'gelu_new', 'swish': 'silu'}
# Options that change what the same tensors compute, or that leave tensors out, and must not be set.
MUST_BE_OFF = ('cross_self_attention', 'no_cross_attention', 'adaptive_input', 'merge_src_tgt_embed', 'full_context_alignment',
               'encoder_recurrent_stacking', 'decoder_recurrent_stacking', 'base_layers')
BUFFERS = ('encoder.version', 'decoder.version', 'encoder.embed_positions._float_tensor', 'decoder.embed_positions._float_tensor')
NORMS = {           # of old checkpoints
    'encoder': ('self_attn_layer_norm', 'final_layer_norm'),
    'decoder': ('self_attn_layer_norm', 'encoder_attn_layer_norm', 'final_layer_norm'),
}


def read_checkpoint(path, trust):
    """(the model's options as a dict, a TensorReader over its tensors)"""
    content = torch_file.read(path, trust)
    require(isinstance(content, dict) and isinstance(content.get('model'), dict), f"{path} holds no 'model': it is no checkpoint")
    options = content.get('args')
    if options is None and isinstance(content.get('cfg'), dict):
        options = content['cfg'].get('model')
    options = vars(options) if isinstance(options, argparse.Namespace) else options
    require(isinstance(options, dict), f"{path} holds neither 'args' nor 'cfg' with the model's options")
    arch = options.get('arch') or options.get('_name')
    require(isinstance(arch, str) and arch.startswith('transformer') and not arch.startswith('transformer_lm'),
            f'{path} has the architecture {arch}; known are transformer and its variants')
    for name in MUST_BE_OFF:
        require(not options.get(name), f'{path}: the option {name} is {options.get(name)}, which is not known')
    return options, folder.TensorReader(torch_file.arrays(content['model'], path), path)


def count_layers(reader, side):
    """How many the tensors are of."""
    numbers = {name.split('.')[2] for name in reader.names(f'{side}.layers.')}
    require(numbers and numbers == {str(i) for i in range(len(numbers))}, f'{reader.path} lacks tensors of {side}.layers.*')
    return len(numbers)


def read_side(reader, side, tensors):
    """Move a side's tensors to `tensors` under our names; old names of norms and fused projections, too."""
    for i in range(count_layers(reader, side)):
        theirs, ours = f'{side}.layers.{i}', f'model.{side}.layers.{i}'
        for j, norm in enumerate(NORMS[side]):
            for part in ('weight', 'bias'):
                old = f'{theirs}.layer_norms.{j}.{part}'
                name = old if old in reader else f'{theirs}.{norm}.{part}'
                tensors[f'{ours}.{norm}.{part}'] = reader.take(name)
        for attention in ('self_attn', 'encoder_attn')[:len(NORMS[side]) - 1]:
            for part in ('weight', 'bias'):
                fused = f'{theirs}.{attention}.in_proj_{part}'
                parts = np.split(reader.take(fused), 3) if fused in reader else [
                    reader.take(f'{theirs}.{attention}.{letter}_proj.{part}') for letter in 'qkv']
                for letter, array in zip('qkv', parts, strict=True):
                    tensors[f'{ours}.{attention}.{letter}_proj.{part}'] = array
                tensors[f'{ours}.{attention}.out_proj.{part}'] = reader.take(f'{theirs}.{attention}.out_proj.{part}')
        for layer in ('fc1', 'fc2'):
            for part in ('weight', 'bias'):
                tensors[f'{ours}.{layer}.{part}'] = reader.take(f'{theirs}.{layer}.{part}')
    for norm in ('layer_norm', 'layernorm_embedding'):
        if f'{side}.{norm}.weight' in reader:
            for part in ('weight', 'bias'):
                tensors[f'model.{side}.{norm}.{part}'] = reader.take(f'{side}.{norm}.{part}')


def read_positions(reader, options, tensors):
    """config.json's fields about positions."""
    if options.get('no_token_positional_embeddings'):
        return {'position_embedding': 'none'}
    learned = [bool(options.get(f'{side}_learned_pos')) for side in ('encoder', 'decoder')]
    require(learned[0] == learned[1], f'{reader.path} has learned positions on one side only, which is not known')
    if not learned[0]:
        return {'position_embedding': 'sinusoidal', 'position_offset': FIRST_POSITION}
    fields = {'position_embedding': 'learned', 'position_offset': FIRST_POSITION}
    for side, key in (('encoder', 'max_source_positions'), ('decoder', 'max_target_positions')):
        table = tensors[f'model.{side}.embed_positions.weight'] = reader.take(f'{side}.embed_positions.weight')
        fields[key] = len(table) - FIRST_POSITION
    return fields


def read_embeddings(reader, options, tensors):
    """config.json's fields about embeddings and the output layer."""
    source, target = (reader.take(f'{side}.embed_tokens.weight') for side in ('encoder', 'decoder'))
    shared = bool(options.get('share_all_embeddings')) or (source.shape == target.shape and np.array_equal(source, target))
    tied = shared or bool(options.get('share_decoder_input_output_embed'))
    fields = {'share_encoder_decoder_embeddings': shared}
    if shared:
        require(np.array_equal(source, target), f'{reader.path} says that embeddings are shared, but they differ')
        tensors['model.shared.weight'] = target
    else:
        tensors['model.encoder.embed_tokens.weight'], tensors['model.decoder.embed_tokens.weight'] = source, target
        fields['decoder_vocab_size'] = len(target)
    names = [name for name in ('decoder.output_projection.weight', 'decoder.embed_out') if name in reader]
    output = reader.take(names[0]) if names else target
    require(names or tied, f'{reader.path} lacks the tensor decoder.output_projection.weight')
    fields['tie_word_embeddings'] = output.shape == target.shape and np.array_equal(output, target)
    if not fields['tie_word_embeddings']:
        tensors['lm_head.weight'] = output
    return fields


def read_model(path, languages, trust):
    """(config.json's content, {our name: array})"""
    options, reader = read_checkpoint(path, trust)
    tensors, heads = {}, {}
    reader.drop(*BUFFERS)
    for side in ('encoder', 'decoder'):
        heads[side] = options.get(f'{side}_attention_heads')
        require(type(heads[side]) is int and heads[side] > 0, f'{path}: the option {side}_attention_heads is missing')
        read_side(reader, side, tensors)
    activation = options.get('activation_fn') or 'relu'
    require(activation in ACTIVATIONS, f'{path}: the option activation_fn is {activation}; known are {", ".join(ACTIVATIONS)}')
    embedding_norm = 'model.encoder.layernorm_embedding.weight' in tensors
    require(embedding_norm == ('model.decoder.layernorm_embedding.weight' in tensors),
            f'{path} has a norm behind the embeddings of one side only, which is not known')
    fields = read_embeddings(reader, options, tensors) | read_positions(reader, options, tensors)
    reader.expect_empty()
    ffn = {side: len(tensors[f'model.{side}.layers.0.fc1.bias']) for side in heads}
    width = {side: len(tensors[f'model.{side}.layers.0.fc2.bias']) for side in heads}
    table = tensors.get('model.shared.weight', tensors.get('model.encoder.embed_tokens.weight'))
    config = model_config.make_config(
        *languages, len(table), width['decoder'], ffn['encoder'],
        *(1 + max(int(name.split('.')[3]) for name in tensors if name.startswith(f'model.{side}.layers.')) for side in heads),
        heads['encoder'], encoder_d_model=width['encoder'], decoder_ffn_dim=ffn['decoder'],
        decoder_attention_heads=heads['decoder'], activation_function=ACTIVATIONS[activation], layer_norm_eps=EPS,
        encoder_normalize_before=bool(options.get('encoder_normalize_before')),
        decoder_normalize_before=bool(options.get('decoder_normalize_before')),
        encoder_final_norm='model.encoder.layer_norm.weight' in tensors,
        decoder_final_norm='model.decoder.layer_norm.weight' in tensors,
        normalize_embedding=embedding_norm, scale_embedding=not options.get('no_scale_embedding'), output_bias=False,
        decoder_start='token', decoder_start_token_id=EOS, eos_token_id=EOS, unk_token_id=UNKNOWN, **fields)
    aligned = options.get('alignment_layer')
    if aligned is not None:
        count = options.get('alignment_heads') or heads['decoder']
        config['alignment_heads'] = [[aligned % config['decoder_layers'], head] for head in range(count)]
    return config, tensors


def read_dictionary(path):
    """{piece: number} of a dict.txt: "piece count" a line, behind the four special ones."""
    ids = dict(zip(SPECIAL, range(4), strict=True))
    try:
        with open(path, encoding='utf-8') as file:
            lines = file.read().split('\n')
    except (OSError, UnicodeDecodeError) as error:
        raise ConversionError(f'{path} cannot be read: {error}') from None
    number = len(ids)
    for line in lines:
        line = line.rstrip('\r')
        if not line:
            continue
        overwrites = line.endswith(' #fairseq:overwrite')
        piece, _, count = line.removesuffix(' #fairseq:overwrite').rpartition(' ')
        require(piece and count.isdecimal(), f'{path}: the line "{line[:80]}" is no piece with its count')
        require(piece not in ids or overwrites, f'{path} has the piece {piece} twice')
        ids[piece] = number
        number += 1
    return ids


def dictionaries(place, languages):
    """{piece: number} of each side, from the dict.<language>.txt of a folder."""
    found = []
    for language in languages:
        path = os.path.join(place, f'dict.{language}.txt')
        require(os.path.exists(path), f'{path} is missing; fairseq keeps it beside its binarised data')
        found.append(read_dictionary(path))
    return found


def convert(checkpoint, place, vocabularies, out, languages, trust=False):
    """Write the model folder `out`.

    place: the folder of the dictionaries; vocabularies: from the ids of both sides, their Specials and whether they share an
    embedding to ({file name: bytes}, pieces that the source's ids lack).
    """
    config, tensors = read_model(checkpoint, languages, trust)
    ids = dictionaries(place, languages)
    shared = config['share_encoder_decoder_embeddings']
    require(not shared or ids[0] == ids[1], f'the dictionaries of {place} differ, but {checkpoint} has one embedding for both')
    sizes = config['vocab_size'], config.get('decoder_vocab_size', config['vocab_size'])
    for language, side, size in zip(languages, ids, sizes, strict=True):
        require(max(side.values()) + 1 == size, f'dict.{language}.txt has {max(side.values()) + 1} pieces, the special ones '
                f'included; {checkpoint} has {size}')
    special = [vocabulary.Special('</s>', '<unk>', ('<s>', '<pad>'), size) for size in sizes]
    files, extra = vocabularies(*ids, special=special, shared=shared)
    vocabulary.ban(config, tensors, [PAD])
    vocabulary.add_rows(config, tensors, len(extra), UNKNOWN)
    folder.write(out, config, tensors, files)
