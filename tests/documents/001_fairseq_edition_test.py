#!/usr/bin/python3
"""Document 001, "The Transformer: fairseq edition": its model and Dragoman give the same numbers, and the same inside.

Pre- and post-norm; a batch with its padding masks; all hidden states (encoder_states, inner_states); the alignment of a
layer, a mean over some heads; and incremental decoding, in which a step sees one token, self-attention appends its key and
value to those of incremental_state, and the encoder-decoder attention keeps what it has made of the encoder's output once
(static_kv). The checkpoint goes through `scripts/convert fairseq`. The text names no sizes.
"""
import argparse
import math
import unittest

import numpy as np
import torch
from document import DocumentTest, words
from models import Fairseq, randomise

WIDTH, HEADS, FFN, LAYERS = 64, 4, 128, 3
SIZES = 40, 36
BOS, PAD, EOS, UNK = range(4)
OPTIONS = {'arch': 'transformer', 'activation_fn': 'relu', 'alignment_layer': 1, 'alignment_heads': 3} | {
    f'{side}_{name}': value for side in ('encoder', 'decoder') for name, value in (
        ('embed_dim', WIDTH), ('ffn_embed_dim', FFN), ('layers', LAYERS), ('attention_heads', HEADS))}


def incremental_attention(attention, state, query, key, static_kv, padding):
    """MultiheadAttention.forward with a saved state; query [B, 1, D], key [B, S, D] -> [B, 1, D], weights [B, H, 1, S]

    padding [B, S]: true where a key is none.
    """
    def split(x):
        return x.view(*x.shape[:2], HEADS, -1).transpose(1, 2)
    q = split(attention.q_proj(query)) * (WIDTH // HEADS) ** -0.5           # q *= self.scaling
    if static_kv and 'prev_key' in state:
        k, v = state['prev_key'], state['prev_value']
    else:
        k, v = split(attention.k_proj(key)), split(attention.v_proj(key))
        if 'prev_key' in state:
            k, v = torch.cat([state['prev_key'], k], 2), torch.cat([state['prev_value'], v], 2)
        state.update(prev_key=k, prev_value=v)
    scores = q @ k.transpose(2, 3)
    if padding is not None:
        scores = scores.masked_fill(padding[:, None, None, :], float('-inf'))
    weights = torch.softmax(scores, -1)
    return attention.out_proj((weights @ v).transpose(1, 2).reshape(query.shape)), weights


def incremental_step(model, token, step, memory, padding, incremental_state):
    """TransformerDecoder.forward for one position; token [B] -> log p [B, V], inner_states, cross-attentions"""
    decoder = model.decoder
    x = model.embed(decoder, torch.full((len(token), step + 1), PAD).index_copy(1, torch.tensor([step]), token[:, None]))[:, -1:]
    inner_states, attentions = [x], []
    for i, layer in enumerate(decoder.layers):
        own, cross = (incremental_state.setdefault((i, name), {}) for name in ('self', 'cross'))

        def look_back(y, layer=layer, own=own):
            return incremental_attention(layer.self_attn, own, y, y, False, None)[0]

        def look_over(y, layer=layer, cross=cross):
            context, weights = incremental_attention(layer.encoder_attn, cross, y, memory, True, padding)
            attentions.append(weights)
            return context
        x = layer.sublayer(layer.self_attn_layer_norm, x, look_back)
        x = layer.sublayer(layer.encoder_attn_layer_norm, x, look_over)
        x = layer.sublayer(layer.final_layer_norm, x, lambda y, layer=layer: layer.fc2(torch.relu(layer.fc1(y))))
        inner_states.append(x)
    if hasattr(decoder, 'layer_norm'):
        x = decoder.layer_norm(x)
    return torch.log_softmax(decoder.output_projection(x)[:, 0], -1), inner_states, attentions


def without_padding(log_p):
    """fairseq never writes <pad>; in Dragoman it has no part in the sum of chances either."""
    kept = np.delete(log_p, PAD, -1)
    return kept - np.log(np.exp(kept).sum(-1, keepdims=True))


def with_padding_out(log_p):
    """The same [T, V], <pad> in its place."""
    return np.insert(without_padding(log_p), PAD, -np.inf, -1)


class FairseqEdition(DocumentTest):

    def converted(self, model):
        """The model folder of a checkpoint."""
        for language, size in zip(('en', 'de'), SIZES, strict=True):
            self.write(f'data/dict.{language}.txt', ''.join(f'{word} 1\n' for word in words(size)[4:]))
        state = {name: tensor.float() for name, tensor in model.state_dict().items()}
        torch.save({'args': argparse.Namespace(**model.options), 'model': state}, self.path('checkpoint.pt'))
        return self.convert('fairseq', [self.path('checkpoint.pt')], '--from', 'en', '--to', 'de', '--dictionaries',
                            self.path('data'))

    def check(self, norm_first):
        torch.manual_seed(5)
        model = randomise(Fairseq(OPTIONS | {
            'encoder_normalize_before': norm_first, 'decoder_normalize_before': norm_first}, *SIZES), 5)
        folder, rng = self.converted(model), np.random.default_rng(5)
        sources = [[*rng.integers(4, SIZES[0], length).tolist(), EOS] for length in (7, 4)]
        targets = [rng.integers(4, SIZES[1], length).tolist() for length in (3, 6)]
        prev_output = [[EOS, *target] for target in targets]
        source, target = (torch.tensor([[*row, *[PAD] * (8 - len(row))] for row in rows]) for rows in (sources, prev_output))
        with torch.no_grad():
            memory, encoder_states = model.encode(source)
            logits, inner_states, attentions = model.decode(target, memory, source)
        log_p = torch.log_softmax(logits, -1).numpy()
        for i, (ids, prefix) in enumerate(zip(sources, targets, strict=True)):
            count, length = len(prefix) + 1, len(ids)
            seen = self.inspect(folder, ids, prefix)
            self.close(seen.memory, memory[i, :length], 'encoder_out')
            for layer, states in enumerate(encoder_states):
                self.close(seen.states['encoder'][layer + 1], states[i, :length], f'encoder_states {layer}')
            for layer, states in enumerate(inner_states):
                self.close(seen.states['decoder'][layer], states[i, :count], f'inner_states {layer}')
            self.close(np.delete(seen.log_p, PAD, -1), without_padding(log_p[i, :count]), 'all at once')
            for layer in range(LAYERS):
                self.close(seen.cross_attention[layer], attentions[layer][i, :, :count, :length], f'attention of layer {layer}')
                self.assertTrue(bool((attentions[layer][i, :, :, length:] == 0).all()))
            layer, heads = OPTIONS['alignment_layer'], OPTIONS['alignment_heads']
            self.assertEqual(seen.config['alignment_heads'], [[layer, head] for head in range(heads)])
            self.close(np.mean([seen.cross_attention[layer][head] for _, head in seen.config['alignment_heads']], 0),
                       attentions[layer][i, :heads, :count, :length].mean(0), 'the alignment: mean of some heads')
            alone = torch.tensor([ids])
            with torch.no_grad():
                memory_alone, _ = model.encode(alone)
                self.check_core(folder, ids, lambda read, memory=memory_alone, ids=alone: with_padding_out(torch.log_softmax(
                    model.decode(torch.tensor([read]), memory, ids)[0][0], -1).numpy()))
            self.check_increments(model, seen, source[i:i + 1], memory[i:i + 1], prefix)

    def check_increments(self, model, seen, source, memory, prefix):
        """Step by step, one sentence, its padding hidden."""
        incremental_state, length = {}, len(seen.memory)
        for step, token in enumerate([EOS, *prefix]):
            with torch.no_grad():
                log_p, inner_states, attentions = incremental_step(
                    model, torch.tensor([token]), step, memory, source == PAD, incremental_state)
            self.close(np.delete(seen.log_p[step], PAD), without_padding(log_p[0].numpy()), f'step {step}')
            for layer, state in enumerate(inner_states):
                self.close(seen.states['decoder'][layer][step], state[0, 0], f'step {step}, inner_states {layer}')
            for layer, weights in enumerate(attentions):
                self.close(seen.cross_attention[layer][:, step], weights[0, :, 0, :length], f'step {step}, layer {layer}')
            self.assertEqual(incremental_state[0, 'self']['prev_key'].shape[2], step + 1)
            self.assertEqual(incremental_state[0, 'cross']['prev_key'].shape[2], source.shape[1])

    def test_001_post_norm(self):
        self.check(False)

    def test_001_pre_norm(self):
        self.check(True)

    def test_001_scaled_query(self):
        """q *= d_k^-1/2 before the product, as in fairseq, is Q K^T / sqrt(d_k)."""
        rng = np.random.default_rng(1)
        q, k = rng.normal(size=(3, 16)), rng.normal(size=(5, 16))
        np.testing.assert_allclose(q * 16 ** -0.5 @ k.T, q @ k.T / math.sqrt(16))


if __name__ == '__main__':
    unittest.main()
