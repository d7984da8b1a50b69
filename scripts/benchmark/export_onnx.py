#!/usr/bin/python3
"""A model folder of ours in the layout of transformers.js: MarianMT in ONNX with int8 weights, and a tokenizer.json.

usage: export_onnx.py MODEL_DIR OUT_DIR

transformers.js starts the decoder with a token, our models with the zero vector. So there is one more token here, whose
embedding is zero and which is never the best.
"""
import json
import os
import sys

import numpy as np
from onnx import TensorProto, helper

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../models'))
from onnx_graph import MASKED, Graph, int8_rows
from reference import EOS, Model
from tokenizer_json import tokenizer_json

POSITIONS = 512
ENCODER, DECODER = 'onnx/encoder_model_quantized.onnx', 'onnx/decoder_model_merged_quantized.onnx'


def embedding(model):
    """(integers [V + 1, D], scale [V + 1]): the last row is the start."""
    integers, scale = int8_rows(model.embedding)
    return np.concatenate([integers, np.zeros((1, model.decoder.width))]), np.append(scale, 1)


def ids(name, *shape):
    """Declares an integer tensor."""
    return helper.make_tensor_value_info(name, TensorProto.INT64, shape)


def floats(name, *shape):
    """Declares a float tensor."""
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape or None)


def write_encoder(model, path):
    """input_ids, attention_mask -> last_hidden_state"""
    graph = Graph(model, POSITIONS)
    x = graph.embed('input_ids', *embedding(model), graph.constant(np.array([0])))
    mask = graph.mask('attention_mask')
    for i in range(model.config['encoder_layers']):
        layer = f'model.encoder.layers.{i}'
        shared = graph.quantised(x)
        q, k, v = (graph.heads(f'{layer}.self_attn.{part}_proj', shared) for part in 'qkv')
        y = graph.linear(f'{layer}.self_attn.out_proj', graph.quantised(graph.attend(q, k, v, mask)))
        x = graph.feed_forward(layer, graph.residual(x, y, f'{layer}.self_attn_layer_norm'))
    graph.op('Identity', [x], ['last_hidden_state'])
    graph.save(path, [ids('input_ids', 'batch', 'source'), ids('attention_mask', 'batch', 'source')],
               [floats('last_hidden_state', 'batch', 'source', model.decoder.width)])


def cross_caches(graph, model):
    """Adds the keys and values of the cross-attentions: computed at the first step, handed through afterwards."""
    caches = [(i, part) for i in range(model.config['decoder_layers']) for part in ('key', 'value')]
    later, first = Graph(model, 0, 10 ** 6), Graph(model, 0, 2 * 10 ** 6)
    shared = first.quantised('encoder_hidden_states')
    for i, part in caches:
        later.op('Identity', [f'past_key_values.{i}.encoder.{part}'], [f'later_{i}_{part}'])
        heads = first.heads(f'model.decoder.layers.{i}.encoder_attn.{part[0]}_proj', shared)
        first.op('Identity', [heads], [f'first_{i}_{part}'])
    # ONNX Runtime prepares weights only once if they belong to the outer graph.
    graph.constants += first.constants

    def branch(name, part):
        return helper.make_graph(part.nodes, name, [], [floats(f'{name}_{i}_{kind}') for i, kind in caches])
    graph.op('If', ['use_cache_branch'], [f'present.{i}.encoder.{part}' for i, part in caches],
             then_branch=branch('later', later), else_branch=branch('first', first))


def decoder_layer(graph, i, x, mask):
    """One layer; appends to its self-attention's cache."""
    layer = f'model.decoder.layers.{i}'
    shared = graph.quantised(x)
    q, k, v = (graph.heads(f'{layer}.self_attn.{part}_proj', shared) for part in 'qkv')
    present = [graph.op('Concat', [f'past_key_values.{i}.decoder.{kind}', new], [f'present.{i}.decoder.{kind}'], axis=2)
               for kind, new in (('key', k), ('value', v))]
    y = graph.linear(f'{layer}.self_attn.out_proj', graph.quantised(graph.attend(q, *present)))
    x = graph.residual(x, y, f'{layer}.self_attn_layer_norm')
    q = graph.heads(f'{layer}.encoder_attn.q_proj', graph.quantised(x))
    y = graph.attend(q, f'present.{i}.encoder.key', f'present.{i}.encoder.value', mask)
    y = graph.linear(f'{layer}.encoder_attn.out_proj', graph.quantised(y))
    return graph.feed_forward(layer, graph.residual(x, y, f'{layer}.encoder_attn_layer_norm'))


def write_decoder(model, path):
    """One step with caches; `use_cache_branch` is false at the first."""
    integers, scale = embedding(model)
    graph = Graph(model, POSITIONS)
    cross_caches(graph, model)
    shape = graph.op('Shape', ['past_key_values.0.decoder.key'])
    past = graph.op('Slice', [shape, graph.constant(np.array([2])), graph.constant(np.array([3]))])
    x = graph.embed('input_ids', integers, scale, past)
    mask = graph.mask('encoder_attention_mask')
    for i in range(model.config['decoder_layers']):
        x = decoder_layer(graph, i, x, mask)
    bias = np.append(model.vectors['final_logits_bias'], MASKED)
    graph.op('Identity', [graph.product(graph.quantised(x), integers, scale, bias)], ['logits'])
    inputs = [ids('encoder_attention_mask', 'batch', 'source'), ids('input_ids', 'batch', 'target'),
              floats('encoder_hidden_states', 'batch', 'source', model.decoder.width)]
    outputs = [floats('logits', 'batch', 'target', len(bias))]
    for i in range(model.config['decoder_layers']):
        for side in ('decoder', 'encoder'):
            for part in ('key', 'value'):
                size = model.decoder.width // model.decoder.heads
                inputs.append(floats(f'past_key_values.{i}.{side}.{part}', 'batch', model.decoder.heads, f'past_{side}', size))
                outputs.append(floats(f'present.{i}.{side}.{part}', 'batch', model.decoder.heads, f'present_{side}', size))
    inputs.append(helper.make_tensor_value_info('use_cache_branch', TensorProto.BOOL, [1]))
    graph.save(path, inputs, outputs)


def write_config(model, folder):
    """config.json and generation_config.json"""
    start = model.config['vocab_size']
    generation = {'pad_token_id': start, 'eos_token_id': EOS, 'decoder_start_token_id': start, 'max_length': POSITIONS,
                  'num_beams': 1}
    kept = ('model_type', 'd_model', 'encoder_layers', 'decoder_layers', 'encoder_attention_heads', 'decoder_attention_heads',
            'encoder_ffn_dim', 'decoder_ffn_dim')
    config = {key: model.config[key] for key in kept}
    config |= generation | {'architectures': ['MarianMTModel'], 'is_encoder_decoder': True, 'vocab_size': start + 1}
    for name, content in (('config.json', config), ('generation_config.json', generation)):
        with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
            json.dump(content, file)


def main():
    folder, out = sys.argv[1:3]
    os.makedirs(os.path.join(out, 'onnx'), exist_ok=True)
    model = Model(folder)
    write_encoder(model, os.path.join(out, ENCODER))
    write_decoder(model, os.path.join(out, DECODER))
    write_config(model, out)
    tokenizer, config = tokenizer_json(os.path.join(folder, 'vocab.spm'))
    for name, content in (('tokenizer.json', tokenizer), ('tokenizer_config.json', config)):
        with open(os.path.join(out, name), 'w', encoding='utf-8') as file:
            json.dump(content, file)


if __name__ == '__main__':
    main()
