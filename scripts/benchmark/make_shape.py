#!/usr/bin/python3
"""Write a model folder of a given shape with random weights, to measure speed and memory of shapes that are not trained.

usage: make_shape.py OUT_DIR BASE_DIR tiny|base-memory

The shapes are those of Firefox's models, decoders of SSRUs included. The vocabulary is that of the model folder BASE_DIR, filled
up with pieces that no text has: the sources become the same pieces as with BASE_DIR.
lex.bin is a lexical shortlist as Firefox's models have one (the first 50 pieces and up to 50 for every source piece).
Only the unused pieces are ever written, never the end of a sentence: every output is as long as its engine lets it become, and
its length can be counted in its text.
"""
import json
import os
import sys

import numpy as np
import sentencepiece

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../models'))
import marian_shortlist
import model_config
import quantize
import weight_file

# Width, feed-forward units, heads, encoder and decoder layers.
SHAPES = {'tiny': (256, 1536, 8, 6, 2), 'base-memory': (384, 1536, 8, 6, 4)}
VOCABULARY = 32000
SHORTLIST = 50, 50  # the most frequent pieces, and the best of a source piece
NEVER = -5000.0     # a logit's bias
UNUSED = 5          # SentencePiece's type of a piece that it never makes


def filled_vocabulary(path):
    """(bytes of a SentencePiece model of VOCABULARY pieces, how many of them are the file's). Protocol buffers append."""
    with open(path, 'rb') as file:
        data = file.read()
    size = sentencepiece.SentencePieceProcessor(model_proto=data).get_piece_size()
    for i in range(size, VOCABULARY):
        name = f'unused{i}'.encode()
        # SentencePiece {piece = 1, score = 2, type = 3}, as an element of ModelProto.pieces = 1
        piece = b'\x0a' + bytes([len(name)]) + name + b'\x15' + np.float32(-100).tobytes() + b'\x18' + bytes([UNUSED])
        data += b'\x0a' + bytes([len(piece)]) + piece
    return data, size


def random_tensors(shape, used):
    """{name: F32 array} in the layout of a trained folder; the first `used` pieces are never written."""
    width, ffn, _, encoder_layers, decoder_layers = shape
    rng = np.random.default_rng(1)
    tensors = {}

    def linear(name, outputs, inputs):
        tensors[name + '.weight'] = rng.normal(0, 1 / np.sqrt(inputs), (outputs, inputs)).astype(np.float32)
        tensors[name + '.bias'] = rng.normal(0, 0.1, outputs).astype(np.float32)

    def norm(name):
        # Signs at random: with tied embeddings the residual path would otherwise make every token predict itself.
        tensors[name + '.weight'] = (rng.uniform(0.7, 1.3, width) * rng.choice([-1, 1], width)).astype(np.float32)
        tensors[name + '.bias'] = rng.normal(0, 0.1, width).astype(np.float32)

    def attention(name):
        for part in 'qkv':
            linear(f'{name}.{part}_proj', width, width)
        linear(f'{name}.out_proj', width, width)
        norm(f'{name}_layer_norm')

    tensors['model.shared.weight'] = rng.normal(0, 1 / np.sqrt(width), (VOCABULARY, width)).astype(np.float32)
    bias = np.zeros(VOCABULARY, np.float32)
    bias[:used] = NEVER
    tensors['final_logits_bias'] = bias
    for side, layers in (('encoder', encoder_layers), ('decoder', decoder_layers)):
        for i in range(layers):
            layer = f'model.{side}.layers.{i}'
            if side == 'encoder':
                attention(f'{layer}.self_attn')
            else:
                linear(f'{layer}.ssru.forget', width, width)
                tensors[f'{layer}.ssru.candidate.weight'] = rng.normal(0, 1 / np.sqrt(width), (width, width)).astype(np.float32)
                norm(f'{layer}.ssru_layer_norm')
                attention(f'{layer}.encoder_attn')
            linear(f'{layer}.fc1', ffn, width)
            linear(f'{layer}.fc2', width, ffn)
            norm(f'{layer}.final_layer_norm')
    return tensors


def main():
    if len(sys.argv) != 4 or sys.argv[3] not in SHAPES:
        sys.exit('usage: make_shape.py OUT_DIR BASE_DIR ' + '|'.join(SHAPES))
    out, base, name = sys.argv[1:]
    width, ffn, heads, encoder_layers, decoder_layers = SHAPES[name]
    os.makedirs(out, exist_ok=True)
    config = model_config.make_config(
        'en', 'de', VOCABULARY, width, ffn, encoder_layers, decoder_layers, heads, decoder_unit='ssru')
    with open(os.path.join(out, 'config.json'), 'w', encoding='utf-8') as file:
        json.dump(config, file, indent=1)
    vocabulary, used = filled_vocabulary(os.path.join(base, 'vocab.spm'))
    with open(os.path.join(out, 'vocab.spm'), 'wb') as file:
        file.write(vocabulary)
    with open(os.path.join(out, 'lex.bin'), 'wb') as file:
        file.write(marian_shortlist.random_shortlist(1, VOCABULARY, VOCABULARY, *SHORTLIST, first=used))
    tensors = quantize.quantise(random_tensors(SHAPES[name], used))
    weight_file.write(os.path.join(out, 'model.safetensors'), tensors, 'dragoman-int8')


if __name__ == '__main__':
    main()
