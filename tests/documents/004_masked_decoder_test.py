#!/usr/bin/python3
"""Document 004, "The Transformer Decoder: Unraveling its Generative Architecture": its decoder, in numpy, and Dragoman.

Q = X W^Q and so on; scores / sqrt(d_k); a padding mask, in which the rows of padding queries are 0 as well, times a
look-ahead mask; -inf where the product is 0; a softmax whose rows without any key are zeros. Sizes are the document's: six
layers, d_model 512, d_k 64, so eight heads; feed-forward 2048, with ReLU. Training: all positions of the target, shifted
right, at once. Inference: a token after the other, each appended to the input of the next step.
"""
import math
import unittest

import numpy as np
from document import EOS, PAD, SOS, DocumentTest, log_softmax, sentences, sinusoids
from support import translate

WIDTH, HEADS, FFN, LAYERS = 512, 8, 2048, 6
SIZES = 24, 20
EPS = 1e-5


def padding_mask(ids):
    """[L] -> [L, L]: 1 where neither the query nor the key is padding."""
    real = np.array(ids) != PAD
    return np.outer(real, real).astype(int)


def look_ahead_mask(length):
    """[T, T]: 1 where the key is not behind the query."""
    return np.tril(np.ones((length, length), int))


def masked_softmax(scores, mask):
    """[..., T, S]; -inf where the mask is 0, then a softmax; a row that may see nothing is zeros."""
    scores = np.where(mask == 0, -np.inf, scores)
    exponents = np.exp(scores - np.where(mask.any(-1, keepdims=True), scores.max(-1, keepdims=True), 0))
    return exponents / np.maximum(exponents.sum(-1, keepdims=True), 1e-300)


def random_parameters(rng):
    """{name: array} as scripts/conversion/layouts/masked-decoder.json names them."""
    parameters = {}

    def linear(name, inputs, outputs, gain=1.0):
        parameters[name + '.W'] = rng.normal(0, gain / math.sqrt(inputs), (inputs, outputs))
        parameters[name + '.b'] = rng.normal(0, 0.1, outputs)

    def norm(name):
        parameters[name + '.gamma'], parameters[name + '.beta'] = rng.uniform(0.7, 1.3, WIDTH), rng.normal(0, 0.1, WIDTH)
    for side, size, attentions in (('encoder', SIZES[0], ['self']), ('decoder', SIZES[1], ['masked', 'cross'])):
        parameters[side + '.embedding'] = rng.normal(0, WIDTH ** -0.5, (size, WIDTH))
        for i in range(LAYERS):
            for attention in attentions:
                for part, gain in zip('QKVO', (1.5, 1.5, 1, 1), strict=True):
                    linear(f'{side}.{i}.{attention}.{part}', WIDTH, WIDTH, gain)
                norm(f'{side}.{i}.{attention}.norm')
            linear(f'{side}.{i}.ffn.1', WIDTH, FFN)
            linear(f'{side}.{i}.ffn.2', FFN, WIDTH)
            norm(f'{side}.{i}.ffn.norm')
    linear('output', WIDTH, SIZES[1], 2.0)
    return {name: array.astype(np.float32) for name, array in parameters.items()}


class Transformer:
    """One sequence at a time, padded or not: ids [L]."""

    def __init__(self, parameters):
        self.parameters = {name: array.astype(np.float64) for name, array in parameters.items()}

    def linear(self, name, x):
        return x @ self.parameters[name + '.W'] + self.parameters[name + '.b']

    def add_and_normalise(self, name, x, y):
        x = x + y
        unit = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + EPS)
        return unit * self.parameters[name + '.gamma'] + self.parameters[name + '.beta']

    def attention(self, name, x, memory, mask):
        """x [T, D], memory [S, D], mask [T, S] -> [T, D], weights [H, T, S]"""
        def split(y):
            return y.reshape(len(y), HEADS, -1).transpose(1, 0, 2)
        q, k, v = (split(self.linear(f'{name}.{part}', of)) for part, of in (('Q', x), ('K', memory), ('V', memory)))
        weights = masked_softmax(q @ k.transpose(0, 2, 1) / math.sqrt(WIDTH // HEADS), mask)
        return self.linear(name + '.O', (weights @ v).transpose(1, 0, 2).reshape(len(x), WIDTH)), weights

    def feed_forward(self, name, x):
        return self.add_and_normalise(name + '.norm', x, self.linear(name + '.2', np.maximum(self.linear(name + '.1', x), 0)))

    def embed(self, side, ids):
        return self.parameters[side + '.embedding'][ids] * math.sqrt(WIDTH) + sinusoids(len(ids), WIDTH).numpy()

    def encode(self, ids):
        """[S] -> [S, D]"""
        x, mask = self.embed('encoder', ids), padding_mask(ids)
        for i in range(LAYERS):
            name = f'encoder.{i}'
            x = self.add_and_normalise(f'{name}.self.norm', x, self.attention(f'{name}.self', x, x, mask)[0])
            x = self.feed_forward(f'{name}.ffn', x)
        return x

    def decode(self, ids, memory, source):
        """[T] -> states [L + 1][T, D], attentions [L][masked, cross][H, T, S], log p [T, V]"""
        states, attentions = [self.embed('decoder', ids)], []
        mask = padding_mask(ids) * look_ahead_mask(len(ids))
        cross_mask = np.outer(np.array(ids) != PAD, np.array(source) != PAD)
        for i in range(LAYERS):
            name, x = f'decoder.{i}', states[-1]
            y, own = self.attention(f'{name}.masked', x, x, mask)
            x = self.add_and_normalise(f'{name}.masked.norm', x, y)
            y, cross = self.attention(f'{name}.cross', x, memory, cross_mask)
            x = self.add_and_normalise(f'{name}.cross.norm', x, y)
            states.append(self.feed_forward(f'{name}.ffn', x))
            attentions.append((own, cross))
        return states, attentions, log_softmax(self.linear('output', states[-1]))


class MaskedDecoder(DocumentTest):

    def test_004_masks_of_the_worked_example(self):
        """[<SOS>, Token1, Token2, <PAD>], whose vectors are 0.1 ... 1.2, and zeros: d_k 4, no projections."""
        ids = [SOS, 4, 5, PAD]
        self.assertEqual(padding_mask(ids).tolist(), [[1, 1, 1, 0], [1, 1, 1, 0], [1, 1, 1, 0], [0, 0, 0, 0]])
        combined = padding_mask(ids) * look_ahead_mask(4)
        self.assertEqual(combined.tolist(), [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [0, 0, 0, 0]])
        x = np.array([[0.1, 0.2, 0.3, 0.4], [0.5, 0.6, 0.7, 0.8], [0.9, 1.0, 1.1, 1.2], [0, 0, 0, 0]])
        scores = x @ x.T / math.sqrt(4)
        np.testing.assert_allclose(scores[:, 3], 0)
        np.testing.assert_allclose(2 * scores[:3, :3], [[0.3, 0.7, 1.1], [0.7, 1.74, 2.78], [1.1, 2.78, 4.46]], atol=1e-12)
        weights = masked_softmax(scores, combined)
        self.assertEqual(weights[0].tolist(), [1, 0, 0, 0])
        self.assertEqual(weights[3].tolist(), [0, 0, 0, 0])
        np.testing.assert_allclose(weights[:3].sum(1), 1)
        self.assertTrue((weights[combined == 0] == 0).all())

    def test_004_training_and_inference(self):
        rng = np.random.default_rng(4)
        parameters = random_parameters(rng)
        path = self.path('parameters.npz')
        np.savez(path, **parameters)
        module, folder = Transformer(parameters), self.convert_state(path, 'masked-decoder.json', *SIZES)
        for source, target in zip(sentences(rng, SIZES[0], (6,)), sentences(rng, SIZES[1], (3,)), strict=True):
            inputs = [SOS, *target[:-1]]                # shifted right
            seen = self.inspect(folder, source, target[:-1])
            batch_source, batch_inputs = source + [PAD] * (9 - len(source)), inputs + [PAD] * (8 - len(inputs))
            memory = module.encode(batch_source)
            self.close(seen.memory, memory[:len(source)], 'memory, padded and masked')
            states, attentions, log_p = module.decode(batch_inputs, memory, batch_source)
            self.close(seen.log_p, log_p[:len(inputs)], 'training: all at once, both masks')
            self.compare_inside(seen, [state[None] for state in states], [[a[None] for a in both] for both in attentions])
            alone = module.encode(source)
            for step in range(1, len(inputs) + 1):      # inference: only what is written already
                one = module.decode(inputs[:step], alone, source)[2]
                self.close(seen.log_p[step - 1], one[-1], f'inference, step {step}')
            written = [SOS]
            while len(written) < 4 and written[-1] != EOS:      # three: a fourth of the same would be against a rule of ours
                log_p = module.decode(written, alone, source)[2][-1]
                best = np.sort(log_p)
                self.assertGreater(best[-1] - best[-2], 1e-3, 'too close a choice for a test')
                written.append(int(log_p.argmax()))
            text = translate(folder, [' '.join(f'w{i}' for i in source[:-1])])[0].split()
            expected = [f'w{i}' if i > 3 else '⁇' for i in written[1:] if i > 2]
            self.assertEqual(text[:len(expected)], expected, 'inference in the core')


if __name__ == '__main__':
    unittest.main()
