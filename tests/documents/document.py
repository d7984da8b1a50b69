"""What the tests of the documents have in common.

Each has the document's module, written after its text, beside Dragoman on the same weights. A document pads a batch and
hides the padding by masks; Dragoman has no padding: a sentence is as long as it is. Both must give the same numbers
wherever there is none.
"""
import json
import os
import sys

import numpy as np
import torch

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../conversion'))

import support

import reference

LAYOUTS = os.path.join(support.ROOT, 'scripts/conversion/layouts')
SOS, PAD, EOS, UNK = range(4)
SPECIAL = ['<SOS>', '<PAD>', '<EOS>', '<UNK>']
TOLERANCE = 1e-4


def words(count):
    """A list of that many, the special ones first."""
    return SPECIAL + [f'w{i}' for i in range(len(SPECIAL), count)]


def sentences(rng, vocabulary, lengths):
    """Random ids, the end behind each."""
    return [[*rng.integers(len(SPECIAL), vocabulary, length).tolist(), EOS] for length in lengths]


def padded(rows, length):
    """[B, L]"""
    return torch.tensor([[*row, *[PAD] * (length - len(row))] for row in rows])


def sinusoids(count, width):
    """[count, D] float64: sine and cosine in turn, of position / 10000^(2i / D)"""
    angles = torch.arange(count)[:, None] * 10000 ** (-torch.arange(0, width, 2).double() / width)
    return torch.stack([angles.sin(), angles.cos()], 2).flatten(1)


def log_softmax(logits):
    """Over the last axis, in numpy."""
    top = logits.max(-1, keepdims=True)
    return logits - top - np.log(np.exp(logits - top).sum(-1, keepdims=True))


class Seen(reference.Model):
    """What is inside."""

    def __init__(self, folder, source, target):
        super().__init__(folder)
        self.found, self.states = {}, {'encoder': [], 'decoder': []}
        self.memory = self.encode(source)
        logits = self.decode(target, self.memory)[0]
        self.log_p = log_softmax(logits)
        layers = range(self.config['decoder_layers'])
        self.self_attention = [self.found[f'model.decoder.layers.{i}.self_attn'] for i in layers]
        self.cross_attention = [self.found[f'model.decoder.layers.{i}.encoder_attn'] for i in layers]
        self.encoder_attention = [self.found[f'model.encoder.layers.{i}.self_attn'] for i in range(self.config['encoder_layers'])]

    def embed(self, side, table, ids):
        x = super().embed(side, table, ids)
        self.states[side.name[6:]].append(x)
        return x

    def attention(self, side, name, x, memory=None):
        y, weights = super().attention(side, name, x, memory)
        self.found[name] = weights
        return y, weights

    def feed_forward(self, side, layer, x):
        y = super().feed_forward(side, layer, x)
        self.states[side.name[6:]].append(y)
        return y


class DocumentTest(support.ConversionTest):
    """A document's module against Dragoman."""

    def vocabularies(self, *sizes):
        """The options that give a model lists of words."""
        return ['--from', 'en', '--to', 'fa', '--words',
                *(self.write(f'{i}.txt', '\n'.join(words(size)) + '\n') for i, size in enumerate(sizes))]

    def save(self, module):
        """The path of its state dict, F32."""
        torch.save({name: tensor.float() for name, tensor in module.state_dict().items()}, self.path('state.pt'))
        return self.path('state.pt')

    def convert_state(self, path, layout, *sizes):
        """The model folder of a state dict."""
        return self.convert('torch', [path, os.path.join(LAYOUTS, layout)], *self.vocabularies(*sizes))

    def close(self, found, expected, what):
        """Within TOLERANCE, whatever the size of the numbers."""
        expected = np.asarray(expected)
        np.testing.assert_allclose(found, expected, atol=TOLERANCE * max(1.0, np.abs(expected).max()), rtol=0, err_msg=what)

    def inspect(self, folder, source, target):
        """What Dragoman's definition computes for a source and a target, both ids, all at once."""
        return Seen(folder, source, target)

    def check_core(self, folder, source, log_p_of):
        """That the core, step by step, gives its translation of a source the chance that the document's module does.

        log_p_of: from the decoder's input to [T, V]
        """
        model = reference.Model(folder)
        written = model.greedy(source)
        (found,) = support.translate(folder, [' '.join(words(max(source) + 1)[i] for i in source[:-1])], '--json')
        found = json.loads(found)
        self.assertEqual(found['tokens'], len(written), 'as many tokens as the definition writes')
        read = [*written, EOS] if len(written) < model.limit(len(source)) else written
        log_p = np.asarray(log_p_of([model.config['decoder_start_token_id'], *read[:-1]]))
        expected = log_p[range(len(read)), read].sum()
        self.assertAlmostEqual(found['log_probability'], expected, delta=TOLERANCE * max(10, abs(expected)))

    def compare_inside(self, seen, states, attentions, row=0):
        """That hidden states and attentions of the decoder are those of a row of a batch.

        states [L + 1][B, T, D], attentions [L][self, cross][B, H, T, S]
        """
        self.assertEqual(len(seen.states['decoder']), len(states))
        for layer, (found, expected) in enumerate(zip(seen.states['decoder'], states, strict=True)):
            self.close(found, expected[row, :len(found)], f'state {layer}')
        for layer, (own, cross) in enumerate(attentions):
            for found, expected in ((seen.self_attention[layer], own), (seen.cross_attention[layer], cross)):
                expected = expected[row, :, :found.shape[1]]
                self.close(found, expected[:, :, :found.shape[2]], f'attention of layer {layer}')
                self.assertTrue(bool((expected[:, :, found.shape[2]:] == 0).all()), 'padding gets no weight at all')
            self.assertTrue(bool((np.triu(seen.self_attention[layer], 1) == 0).all()), 'what lies ahead gets no weight at all')
