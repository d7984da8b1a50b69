"""MarianMT as Hugging Face stores it (OPUS-MT).

A folder of config.json, model.safetensors or pytorch_model.bin, source.spm, target.spm and vocab.json. Tensor names are ours
already. vocab.json numbers the pieces of both SentencePiece models; the last number is <pad>, with an embedding of zeros, with
which the decoder starts: Marian's zero vector. It is left out where that is so.
"""
import os

import numpy as np

import folder
import model_config
import sentencepiece_file
import torch_file
import vocabulary
from errors import require
from tensors import shapes as tensor_shapes

# Fields of config.json that change nothing for a model that translates with our search.
WITHOUT_EFFECT = """
    _name_or_path _num_labels activation_dropout add_cross_attention architectures attention_dropout bad_words_ids
    bos_token_id chunk_size_feed_forward classif_dropout classifier_dropout cross_attention_hidden_size
    decoder_layerdrop decoder_vocab_size diversity_penalty do_blenderbot_90_layernorm do_sample dropout dtype
    early_stopping encoder_layerdrop encoder_no_repeat_ngram_size exponential_decay_length_penalty extra_pos_embeddings
    finetuning_task force_bos_token_to_be_generated forced_eos_token_id gradient_checkpointing id2label init_std
    is_decoder is_encoder_decoder keys_to_ignore_at_inference label2id length_penalty max_length min_length
    no_repeat_ngram_size num_beam_groups num_beams num_hidden_layers num_return_sequences output_attentions
    output_hidden_states output_scores prefix problem_type pruned_heads remove_invalid_values repetition_penalty
    return_dict return_dict_in_generate sep_token_id suppress_tokens begin_suppress_tokens task_specific_params
    temperature tf_legacy_loss tie_encoder_decoder tokenizer_class top_k top_p torch_dtype torchscript
    transformers_version typical_p unk_token_id use_bfloat16 use_cache
""".split()
MUST_BE = {'model_type': 'marian', 'add_bias_logits': False, 'add_final_layer_norm': False, 'normalize_before': False,
           'normalize_embedding': False, 'static_position_embeddings': True}
ACTIVATIONS = {name: name for name in ('relu', 'gelu', 'gelu_new', 'quick_gelu', 'silu')} | {'swish': 'silu'}
SIZES = ['d_model', 'encoder_ffn_dim', 'decoder_ffn_dim', 'encoder_layers', 'decoder_layers', 'encoder_attention_heads',
         'decoder_attention_heads', 'vocab_size', 'eos_token_id', 'pad_token_id', 'decoder_start_token_id']
EPS = 1e-5          # PyTorch's layer norm


def read_weights(source, trust):
    """A TensorReader over the weights of the folder."""
    path = os.path.join(source, 'model.safetensors')
    if os.path.exists(path):
        return folder.TensorReader(folder.read_safetensors(path), path)
    path = os.path.join(source, 'pytorch_model.bin')
    require(os.path.exists(path), f'{source} holds neither model.safetensors nor pytorch_model.bin')
    return folder.TensorReader(torch_file.arrays(torch_file.read(path, trust), path), path)


def read_config(path, source, target):
    """(config.json's content for us, Hugging Face's)"""
    theirs = vocabulary.read_json(path)
    require(isinstance(theirs, dict), f'{path} holds no fields')
    left = dict(theirs)
    for key, value in MUST_BE.items():
        found = left.pop(key, value)
        require(found == value, f'{path}: {key} must be {value}, not {found}')
    sizes = {}
    for key in SIZES:
        sizes[key] = left.pop(key, None)
        require(type(sizes[key]) is int and sizes[key] >= 0, f'{path}: {key} is {sizes[key]}, no whole number')
    activation = left.pop('activation_function', 'gelu')
    require(activation in ACTIVATIONS, f'{path}: activation_function is {activation}; known are {", ".join(ACTIVATIONS)}')
    config = model_config.make_config(
        source, target, sizes['vocab_size'], sizes['d_model'], sizes['encoder_ffn_dim'], sizes['encoder_layers'],
        sizes['decoder_layers'], sizes['encoder_attention_heads'], decoder_ffn_dim=sizes['decoder_ffn_dim'],
        decoder_attention_heads=sizes['decoder_attention_heads'], activation_function=ACTIVATIONS[activation],
        scale_embedding=left.pop('scale_embedding', False), layer_norm_eps=EPS, eos_token_id=sizes['eos_token_id'],
        position_embedding='sinusoidal-halves', tie_word_embeddings=left.pop('tie_word_embeddings', True),
        share_encoder_decoder_embeddings=left.pop('share_encoder_decoder_embeddings', True),
        max_position_embeddings=left.pop('max_position_embeddings', 1024))
    if left.pop('forced_bos_token_id', None) is not None:
        config['forced_bos_token_id'] = theirs['forced_bos_token_id']
    if not config['share_encoder_decoder_embeddings']:
        config['decoder_vocab_size'] = left.pop('decoder_vocab_size', None) or sizes['vocab_size']
    unknown = sorted(set(left) - set(WITHOUT_EFFECT))
    require(not unknown, f'{path} has fields that this converter does not know: {", ".join(unknown)}')
    return config, theirs


def sinusoids(count, width):
    """[count, D] as Hugging Face computes them."""
    angles = np.arange(count)[:, None] * 10000.0 ** (-2 * np.arange(width // 2) / width)
    return np.concatenate([np.sin(angles), np.cos(angles)], 1)


def read_tensors(reader, config):
    """{name: array}: those that a model has, checked against what they are tied to."""
    tensors = {name: reader.take(name, (1, *shape) if name == 'final_logits_bias' else shape)
               for name, shape in tensor_shapes(config).items()}
    tensors['final_logits_bias'] = tensors['final_logits_bias'].reshape(-1)
    if config['share_encoder_decoder_embeddings']:
        for side in ('encoder', 'decoder'):
            reader.expect_same(f'model.{side}.embed_tokens.weight', tensors['model.shared.weight'])
    if config['tie_word_embeddings']:
        reader.expect_same('lm_head.weight', tensors.get('model.shared.weight', tensors.get('model.decoder.embed_tokens.weight')))
    for side in ('encoder', 'decoder'):
        name = f'model.{side}.embed_positions.weight'
        if name in reader:      # not trained, but older files have them
            positions = reader.take(name)
            usual = positions.ndim == 2 and np.abs(positions - sinusoids(*positions.shape)).max() < 2e-3
            require(usual, f'{reader.path}: {name} are no sinusoids, though config.json says so')
    reader.expect_empty()
    return tensors


def drop_padding(config, theirs, tensors):
    """Leave <pad> out where it is the last piece and its embedding, with which the decoder starts, is zero; else ban it."""
    pad, start = theirs['pad_token_id'], theirs['decoder_start_token_id']
    tables = [name for name in ('model.shared.weight', 'model.encoder.embed_tokens.weight', 'model.decoder.embed_tokens.weight',
                                'lm_head.weight') if name in tensors]
    if start == pad and all(len(tensors[name]) == pad + 1 and not tensors[name][pad].any() for name in tables):
        for name in [*tables, 'final_logits_bias']:
            tensors[name] = tensors[name][:pad]
        for key in ('vocab_size', 'decoder_vocab_size'):
            if key in config:
                config[key] = pad
        return
    config.update(decoder_start='token', decoder_start_token_id=start)
    vocabulary.ban(config, tensors, [pad])


def convert(source_folder, out, languages, trust=False):
    """Write the model folder `out`; languages: (source, target) as BCP 47 tags."""
    path = {name: os.path.join(source_folder, name) for name in ('config.json', 'vocab.json', 'target_vocab.json', 'source.spm',
                                                                 'target.spm')}
    config, theirs = read_config(path['config.json'], *languages)
    tensors = read_tensors(read_weights(source_folder, trust), config)
    drop_padding(config, theirs, tensors)
    source_ids = vocabulary.read_json(path['vocab.json'])
    separate = os.path.exists(path['target_vocab.json'])
    require(separate != config['share_encoder_decoder_embeddings'],
            f'{source_folder} has {"two lists" if separate else "one list"} of pieces, which does not fit its embeddings')
    lists = {'vocab.json': source_ids}
    if separate:
        lists['target_vocab.json'] = vocabulary.read_json(path['target_vocab.json'])
    specials = []
    for (name, ids), size in zip(lists.items(), (config['vocab_size'], config.get('decoder_vocab_size')), strict=False):
        vocabulary.check_ids(ids, path[name], '</s>', '<unk>')
        require(ids['</s>'] == config['eos_token_id'], f'{path[name]}: </s> is not eos_token_id')
        lists[name] = ids = {text: number for text, number in ids.items() if text != '<pad>' or number < size}
        require(max(ids.values()) < size, f'{path[name]} has more pieces than the model')
        specials.append(vocabulary.Special('</s>', '<unk>', ('<pad>',), size))
    files, extra = vocabulary.pair(
        sentencepiece_file.read(path['source.spm']), sentencepiece_file.read(path['target.spm']), *((*lists.values(),) * 2)[:2],
        (specials * 2)[:2], not separate)
    vocabulary.add_rows(config, tensors, len(extra), source_ids['<unk>'])
    folder.write(out, config, tensors, files)
