#!/usr/bin/python3
"""Document 003, "The Transformer Decoder" (Haiku): its decoder, in numpy, and Dragoman give the same numbers.

Parameters are named and shaped as Haiku does it, and drawn as Haiku draws them where a module does not say how: hk.Linear's
w [in, out] from a normal distribution of standard deviation 1 / sqrt(in), cut off at two of them, its b zero; hk.Embed's
likewise with 1; hk.LayerNorm's scale one and offset zero. tgt_emb is src_emb (tie_embeddings). src_mask goes to the encoder
and, as it is, to the cross-attention; tgt_mask to the decoder. The text leaves open: the sizes, and the names within the
attention, which it has from an earlier part.
"""
import math
import unittest

import numpy as np
from document import PAD, SOS, DocumentTest, log_softmax, sentences, sinusoids

WIDTH, HEADS, FFN, LAYERS, VOCABULARY = 64, 8, 256, 3, 30
EPS = 1e-5          # hk.LayerNorm's


def truncated_normal(rng, shape, deviation):
    """hk.initializers.TruncatedNormal"""
    values = rng.normal(size=shape)
    while (wrong := np.abs(values) > 2).any():
        values[wrong] = rng.normal(size=wrong.sum())
    return (values * deviation).astype(np.float32)


def initial_parameters(rng):
    """{name: array}, as hk.transform's init gives them, flat."""
    parameters = {'transformer/~/embeddings/~/embed/embeddings': truncated_normal(rng, (VOCABULARY, WIDTH), 1.0)}

    def linear(name, inputs, outputs):
        parameters[name + '/w'] = truncated_normal(rng, (inputs, outputs), 1 / math.sqrt(inputs))
        parameters[name + '/b'] = np.zeros(outputs, np.float32)

    def numbered(name, i):
        return f'{name}_{i}' if i else name
    for side, attentions in (('encoder', 1), ('decoder', 2)):
        for layer in range(LAYERS):
            block = f'transformer/~/transformer_{side}/~/' + numbered(f'{side}_block', layer)
            for i in range(attentions):
                for part in range(4):
                    attention = f'{block}/~/' + numbered('multihead_attention', i)
                    linear(f'{attention}/~/' + numbered('linear', part), WIDTH, WIDTH)
            linear(f'{block}/~/positionwise_feed_forward/~/linear', WIDTH, FFN)
            linear(f'{block}/~/positionwise_feed_forward/~/linear_1', FFN, WIDTH)
            for i in range(attentions + 1):
                norm = f'{block}/~/' + numbered('layer_norm', i)
                parameters[norm + '/scale'] = np.ones(WIDTH, np.float32)
                parameters[norm + '/offset'] = np.zeros(WIDTH, np.float32)
    return parameters


class Transformer:
    """hk.Module's Transformer with tie_embeddings, applied to parameters. [B, L] ids in, masks [B, 1, T, S] or what fits it."""

    def __init__(self, parameters):
        self.parameters = {name: array.astype(np.float64) for name, array in parameters.items()}

    def linear(self, name, x):
        return x @ self.parameters[name + '/w'] + self.parameters[name + '/b']

    def norm(self, name, x):
        unit = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + EPS)
        return unit * self.parameters[name + '/scale'] + self.parameters[name + '/offset']

    def attention(self, name, q, k, v, mask):
        """MultiheadAttention(q, k, v, mask) -> (output, weights)"""
        def split(x):
            return x.reshape(*x.shape[:2], HEADS, -1).transpose(0, 2, 1, 3)
        q, k, v = (split(self.linear(f'{name}/~/linear' + end, x)) for end, x in (('', q), ('_1', k), ('_2', v)))
        scores = q @ k.transpose(0, 1, 3, 2) / math.sqrt(WIDTH // HEADS)
        if mask is not None:
            scores = np.where(mask == 0, -1e9, scores)
        weights = np.exp(log_softmax(scores))
        x = (weights @ v).transpose(0, 2, 1, 3)
        return self.linear(f'{name}/~/linear_3', x.reshape(*x.shape[:2], WIDTH)), weights

    def feed_forward(self, name, x):
        return self.linear(name + '/~/linear_1', np.maximum(self.linear(name + '/~/linear', x), 0))

    def embed(self, ids):
        """Embeddings and PositionalEncoding"""
        table = self.parameters['transformer/~/embeddings/~/embed/embeddings']
        return table[ids] * math.sqrt(WIDTH) + sinusoids(ids.shape[1], WIDTH).numpy()

    def encode(self, src, src_mask):
        """[B, S] -> memory [B, S, D]"""
        x = self.embed(src)
        for i in range(LAYERS):
            block = 'transformer/~/transformer_encoder/~/encoder_block' + (f'_{i}' if i else '')
            x = self.norm(block + '/~/layer_norm', x + self.attention(block + '/~/multihead_attention', x, x, x, src_mask)[0])
            x = self.norm(block + '/~/layer_norm_1', x + self.feed_forward(block + '/~/positionwise_feed_forward', x))
        return x

    def decode(self, memory, src_mask, tgt, tgt_mask):
        """[B, T] -> states of embedding and blocks, attentions, log p [B, T, V]"""
        states, attentions = [self.embed(tgt)], []
        for i in range(LAYERS):
            block, x = 'transformer/~/transformer_decoder/~/decoder_block' + (f'_{i}' if i else ''), states[-1]
            y, own = self.attention(block + '/~/multihead_attention', x, x, x, tgt_mask)
            x = self.norm(block + '/~/layer_norm', x + y)
            y, cross = self.attention(block + '/~/multihead_attention_1', x, memory, memory, src_mask)
            x = self.norm(block + '/~/layer_norm_1', x + y)
            states.append(self.norm(block + '/~/layer_norm_2', x + self.feed_forward(block + '/~/positionwise_feed_forward', x)))
            attentions.append((own, cross))
        table = self.parameters['transformer/~/embeddings/~/embed/embeddings']
        return states, attentions, log_softmax(states[-1] @ table.T)


def subsequent(length):
    """[1, 1, T, T], 1 where a query may look"""
    return np.tril(np.ones((1, 1, length, length)))


class HaikuDecoder(DocumentTest):

    def test_003_decoder(self):
        rng = np.random.default_rng(3)
        parameters = initial_parameters(rng)
        path = self.path('parameters.npz')
        np.savez(path, **parameters)
        module, folder = Transformer(parameters), self.convert_state(path, 'haiku-decoder.json', VOCABULARY)
        sources, targets = sentences(rng, VOCABULARY, (6, 3, 8)), sentences(rng, VOCABULARY, (4, 9, 2))
        inputs = [[SOS, *target[:-1]] for target in targets]
        src, tgt = (np.array([[*row, *[PAD] * (12 - len(row))] for row in rows]) for rows in (sources, inputs))
        src_mask = (src != PAD)[:, None, None, :].astype(float)
        tgt_mask = (tgt != PAD)[:, None, None, :] * subsequent(12)
        memory = module.encode(src, src_mask)
        states, attentions, log_p = module.decode(memory, src_mask, tgt, tgt_mask)
        for i, (source, target) in enumerate(zip(sources, inputs, strict=True)):
            seen = self.inspect(folder, source, target[1:])
            self.close(seen.memory, memory[i, :len(source)], 'memory')
            self.close(seen.log_p, log_p[i, :len(target)], 'all at once, masked')
            self.compare_inside(seen, states, attentions, i)
            alone = module.encode(np.array([source]), None)
            self.close(seen.memory, alone[0], 'memory, without a mask')
            self.check_core(folder, source, lambda ids, alone=alone: module.decode(
                alone, None, np.array([ids]), subsequent(len(ids)))[2][0])
            for step in range(1, len(target) + 1):
                one = module.decode(alone, None, np.array([target[:step]]), subsequent(step))[2]
                self.close(seen.log_p[step - 1], one[0, -1], f'step {step}')

    def test_003_initialisation(self):
        """As Haiku draws them, from where a model's training begins."""
        parameters = initial_parameters(np.random.default_rng(4))
        for name, array in parameters.items():
            if name.endswith('/w'):     # 0.88 is the deviation of a normal distribution that is cut off at two
                self.assertAlmostEqual(float(array.std() * math.sqrt(len(array))), 0.88, delta=0.04)
                self.assertLessEqual(float(np.abs(array).max() * math.sqrt(len(array))), 2.0001)
        path = self.path('parameters.npz')
        np.savez(path, **parameters)
        seen = self.inspect(self.convert_state(path, 'haiku-decoder.json', VOCABULARY), [4, 5, 2], [6, 7])
        self.close(np.exp(seen.log_p).sum(-1), np.ones(3), 'probabilities')


if __name__ == '__main__':
    unittest.main()
