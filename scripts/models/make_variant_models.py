#!/usr/bin/python3
"""Write the tiny random models of variants (src/model/README.md) with their goldens. Deterministic: a rerun changes nothing.

usage: make_variant_models.py          writes two folders of tests/data:
    tiny-before     float: norms first, learned positions, a narrower decoder, an output layer of its own, fused projections
    tiny-heads      int8: projections fused head by head, sines and cosines in turn, shared layers, other norms

Between them they have every variant at least once; core_tests compares random mixtures with a definition of its own.
"""
import os
import tempfile

import numpy as np

import make_tiny_model
import model_config
import quantize
import tensors

SENTENCES = ['Zug', 'Where is the sea?', 'We will see each other again tomorrow.']
VOCABULARY = 320
BEFORE = model_config.make_config(
    'en', 'de', VOCABULARY, 24, 20, 2, 2, 2, activation_function='gelu', normalize_before=True, decoder_final_norm=True,
    encoder_d_model=28, encoder_head_dim=9, share_encoder_decoder_embeddings=False, position_embedding='learned',
    position_offset=2, max_position_embeddings=60, normalize_embedding=True, scale_embedding=False, tie_word_embeddings=False,
    projections='fused', decoder_start='token', decoder_start_token_id=0, forced_bos_token_id=270)
HEADS = model_config.make_config(
    'en', 'de', VOCABULARY, 24, 20, 3, 2, 3, activation_function='gelu_new', layer_norm='unbiased-deviation',
    layer_norm_eps=1e-3, encoder_final_norm=True, decoder_normalize_before=True, position_embedding='sinusoidal-interleaved',
    projections='fused-heads', output_bias=False, encoder_tied_layers=[0, 1, 0], decoder_head_dim=6)


def random_tensors(seed, config):
    """{name: F16 array} whose outputs vary; see make_tiny_model.random_tensors."""
    rng, found = np.random.default_rng(seed), {}
    for name, shape in tensors.shapes(config).items():
        if name.endswith(('norm.weight', 'embedding.weight')):
            array = rng.uniform(0.7, 1.3, shape) * rng.choice([-1, 1], shape)
        elif len(shape) == 1:
            array = rng.normal(0, 0.1, shape)
        elif 'embed_' in name or name in ('model.shared.weight', 'lm_head.weight'):
            array = rng.normal(0, 1, shape)
            array *= (3 if name == 'lm_head.weight' else 0.5) / np.linalg.norm(array, axis=1, keepdims=True)
            array[0] *= 1.6             # eos: often enough that translations end
            array[2:258] *= 0.3         # bytes: seldom
        else:
            array = rng.normal(0, 1.5 / np.sqrt(shape[-1]), shape)
        found[name] = array
    name = 'model.decoder.layer_norm.weight'
    if name in found and 'lm_head.weight' not in found:
        found[name] = found[name] * 8       # the spread of the logits
    return {name: array.astype(np.float16) for name, array in found.items()}


def write(folder, config, int8):
    """Write one model with its goldens, by the first seed whose translations end and whose steps are decided."""
    vocabularies = {'vocab.spm': make_tiny_model.train_vocabulary(VOCABULARY, slice(2))}
    for seed in range(10000):
        with tempfile.TemporaryDirectory() as real:
            make_tiny_model.write_folder(real, config, vocabularies, random_tensors(seed, config))
            if int8:
                quantize.quantise_folder(real, folder)
            else:
                make_tiny_model.write_folder(folder, config, vocabularies, random_tensors(seed, config))
        try:
            make_tiny_model.write_goldens(folder, int8, SENTENCES, most=16)
            return seed
        except ValueError:
            continue
    raise ValueError(f'{folder}: no seed will do')


def main():
    for name, config, int8 in (('tiny-before', BEFORE, False), ('tiny-heads', HEADS, True)):
        print('seed', write(os.path.join(make_tiny_model.DATA, name), config, int8))


if __name__ == '__main__':
    main()
