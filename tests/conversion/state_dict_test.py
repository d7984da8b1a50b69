#!/usr/bin/python3
"""torch.nn.Transformer, by a JSON file that names its parts: the converted model gives PyTorch's numbers."""
import json
import math
import os
import shutil
import unittest

import models
import numpy as np
import torch
from support import ROOT, ConversionTest
from torch import nn

import reference

LANGUAGES = ['--from', 'de', '--to', 'en']
LAYOUT = os.path.join(ROOT, 'scripts/conversion/layouts/torch-transformer.json')
UNKNOWN, PAD, BOS, EOS = range(4)
SPECIAL = ['<unk>', '<pad>', '<bos>', '<eos>']
WORDS = [SPECIAL + 'die Katze schläft auf dem Stuhl'.split(), SPECIAL + 'the cat sleeps on chair'.split()]


class Embedding(nn.Module):
    """Scaled by the root of the width."""

    def __init__(self, size, width):
        super().__init__()
        self.embedding, self.width = nn.Embedding(size, width), width

    def forward(self, ids):
        return self.embedding(ids) * math.sqrt(self.width)


class Translator(nn.Module):
    """nn.Transformer, embeddings, sinusoids in turn, and an output layer: PyTorch's tutorial on translation."""

    def __init__(self, width=16, heads=4, **options):
        super().__init__()
        self.transformer = nn.Transformer(width, heads, 2, 3, 24, dropout=0.0, batch_first=True, **options)
        self.generator = nn.Linear(width, len(WORDS[1]))
        self.src_tok_emb, self.tgt_tok_emb = Embedding(len(WORDS[0]), width), Embedding(len(WORDS[1]), width)
        models.randomise(self, 2)
        angles = torch.arange(40)[:, None] * 10000 ** (-torch.arange(0, width, 2).double() / width)
        table = torch.stack([angles.sin(), angles.cos()], 2).flatten(1)
        self.positional_encoding = nn.Module()
        self.positional_encoding.register_buffer('pos_embedding', table)

    def forward(self, source, target):
        """[B, S], [B, T] -> logits [B, T, V]"""
        positions, padding = self.positional_encoding.pos_embedding, source == PAD
        x = self.transformer(
            self.src_tok_emb(source) + positions[:source.shape[1]], self.tgt_tok_emb(target) + positions[:target.shape[1]],
            tgt_mask=models.ahead(target.shape[1])[0, 0], src_key_padding_mask=padding, tgt_key_padding_mask=target == PAD,
            memory_key_padding_mask=padding)
        return self.generator(x)


class StateDict(ConversionTest):

    def setUp(self):
        super().setUp()
        self.words = [self.write(f'{side}.txt', '\n'.join(words) + '\n') for side, words in enumerate(WORDS)]
        with open(LAYOUT, encoding='utf-8') as file:
            self.layout = json.load(file)
        self.layout['config'].update(encoder_attention_heads=4, decoder_attention_heads=4)

    def save(self, module, **changes):
        """The paths of its state dict and its layout."""
        state = {name: tensor.float() for name, tensor in module.state_dict().items()} | changes
        torch.save({name: tensor for name, tensor in state.items() if tensor is not None}, self.path('state.pt'))
        return [self.path('state.pt'), self.write('parts.json', self.layout)]

    def test_numbers(self):
        sources = [[BOS, 4, 5, 6, EOS, PAD, PAD], [BOS, 9, 8, 7, 6, 5, EOS]]
        targets = [[BOS, 4, 5, 6, 7], [BOS, 8, 8, PAD, PAD]]
        for options, fields in (({}, {}), ({'activation': 'gelu', 'norm_first': True},
                                           {'activation_function': 'gelu', 'normalize_before': True})):
            with self.subTest(options):
                torch.manual_seed(1)
                module = Translator(**options)
                self.layout['config'].update(fields)
                out = self.convert('torch', self.save(module), *LANGUAGES, '--words', *self.words)
                with torch.no_grad():
                    expected = module(torch.tensor(sources), torch.tensor(targets)).numpy()
                found = reference.Model(out)
                for source, target, logits in zip(sources, targets, expected, strict=True):
                    source = [piece for piece in source if piece != PAD]
                    target = [piece for piece in target if piece != PAD]
                    got = found.decode(target[1:], found.encode(source))[0]
                    np.testing.assert_allclose(got, logits[:len(target)], atol=2e-5)
                shutil.rmtree(out)

    def test_lists_of_words_and_characters(self):
        out = self.convert('torch', self.save(Translator()), *LANGUAGES, '--words', *self.words)
        source, target = reference.load_vocabularies(out)
        self.assertEqual(source.encode('Katze  die Maus'), [5, 4, UNKNOWN])
        self.assertEqual(target.decode([4, 5, 6, EOS]), 'the cat sleeps')
        shutil.rmtree(out)
        self.layout['pieces']['unit'] = 'character'
        lists = [{piece: i for i, piece in enumerate(SPECIAL + list(letters))} for letters in ('abc üd', 'xyz w')]
        words = [self.write(f'{side}.json', ids) for side, ids in enumerate(lists)]
        out = self.convert('torch', self.save(Translator()), *LANGUAGES, '--words', *words)
        source, target = reference.load_vocabularies(out)
        self.assertEqual(source.encode('a büx'), [4, 7, 5, 8, UNKNOWN])
        self.assertEqual(target.decode([4, 7, 7, 5, 8]), 'x  yw')

    def test_unknown_things_are_refused_by_name(self):
        def refusal(*changed):
            return self.refused('torch', self.save(Translator(), **dict(changed)), *LANGUAGES, '--words', *self.words)
        for change, complaint in (
                (('transformer.encoder.layers.0.gate', torch.ones(2)), 'does not know: transformer.encoder.layers.0.gate'),
                (('transformer.encoder.layers.1.norm2.bias', None), 'lacks the tensor transformer.encoder.layers.1.norm2.bias'),
                (('transformer.decoder.layers.0.linear1.weight', torch.ones(24, 15)), 'has shape [24, 15], not [24, 16]'),
                (('generator.bias', torch.full((9,), math.inf)), 'generator.bias holds values that no trained model has')):
            with self.subTest(complaint):
                self.assertIn(complaint, refusal(change))
        del self.layout['names']['lm_head.']
        self.assertIn("'names' has nothing for lm_head.weight", refusal())
        self.layout['extra'] = 1
        self.assertIn('has the unknown fields extra', refusal())
        del self.layout['config']
        self.assertIn("lacks 'config' or 'names'", refusal())


if __name__ == '__main__':
    unittest.main()
