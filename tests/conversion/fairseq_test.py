#!/usr/bin/python3
"""fairseq's checkpoints: the converted model gives PyTorch's numbers, whatever the norm, positions and embeddings."""
import argparse
import os
import shutil
import threading
import unittest

import models
import numpy as np
import sentencepiece
import torch
from models import Fairseq
from support import DATA, ConversionTest, definition, plain, translate

import fairseq
import reference

LANGUAGES = ['--from', 'en', '--to', 'de']
OPTIONS = {
    'arch': 'transformer', 'encoder_embed_dim': 16, 'decoder_embed_dim': 16, 'encoder_ffn_embed_dim': 24,
    'decoder_ffn_embed_dim': 20, 'encoder_layers': 1, 'decoder_layers': 2, 'encoder_attention_heads': 4,
    'decoder_attention_heads': 2, 'activation_fn': 'relu', 'encoder_normalize_before': False, 'decoder_normalize_before': False,
    'dropout': 0.1}
TEXTS = ['The cat sleeps on the old chair.', 'Where is the next train station?', 'Jürgen', 'ö']
VARIANTS = {
    'post-norm': {},
    'pre-norm, gelu': {'encoder_normalize_before': True, 'decoder_normalize_before': True, 'activation_fn': 'gelu_accurate'},
    'learned positions, norm behind the embeddings': {
        'encoder_learned_pos': True, 'decoder_learned_pos': True, 'max_positions': 60, 'layernorm_embedding': True,
        'no_scale_embedding': True},
    'no positions, tied output': {'no_token_positional_embeddings': True, 'share_decoder_input_output_embed': True},
    'wider decoder, pre-norm on one side': {'decoder_embed_dim': 24, 'decoder_normalize_before': True},
}


class FairseqCheckpoint(ConversionTest):

    def setUp(self):
        super().setUp()
        self.spm = [os.path.join(DATA, 'tiny-ssru', side + '.spm') for side in ('source', 'target')]
        self.pieces = [sentencepiece.SentencePieceProcessor(model_file=path) for path in self.spm]

    def dictionary(self, side, language, without=()):
        """{piece: number}, written as dict.<language>.txt in an order of its own."""
        pieces = [self.pieces[side].id_to_piece(i) for i in range(2, self.pieces[side].get_piece_size())]
        order = [pieces[i] for i in np.random.default_rng(side).permutation(len(pieces)) if pieces[i] not in without]
        self.write(f'data/dict.{language}.txt', ''.join(f'{piece} {900 - i}\n' for i, piece in enumerate(order)))
        return {piece: i for i, piece in enumerate(['<s>', '<pad>', '</s>', '<unk>', *order])}

    def checkpoint(self, module, /, **more):
        """The path of a checkpoint as fairseq writes it."""
        state = {name: tensor.float() for name, tensor in module.state_dict().items()}
        for side in ('encoder', 'decoder'):
            state[side + '.version'] = torch.tensor([3.0])
            state[side + '.embed_positions._float_tensor'] = torch.zeros(1)
        content = {'args': argparse.Namespace(**module.options), 'model': state, 'optimizer_history': [{'num_updates': 5}],
                   'extra_state': {'epoch': 1, 'val_loss': np.float64(2.5)}, 'last_optimizer_state': {'state': {}}} | more
        torch.save(content, self.path('checkpoint.pt'))
        return self.path('checkpoint.pt')

    def check_numbers(self, model, out, ids):
        """That logits are PyTorch's, each sentence alone as in a padded batch."""
        found, vocabularies = reference.Model(out), reference.load_vocabularies(out)
        rng = np.random.default_rng(1)
        targets = [rng.integers(4, len(ids[1]), 3 + 2 * i).tolist() for i in range(len(TEXTS))]
        sources = [[ids[0].get(piece, 3) for piece in self.pieces[0].encode(text, out_type=str)] + [2] for text in TEXTS]
        with torch.no_grad():
            logits = model(padded(sources), padded([[2, *target] for target in targets])).numpy()
        for text, source, target, expected in zip(TEXTS, sources, targets, logits, strict=True):
            ours = [*vocabularies[0].encode(text), 2]
            self.assertEqual([3 if piece >= len(ids[0]) else piece for piece in ours], source)
            got = found.decode(target, found.encode(ours))[0]
            written = [0, *range(2, len(ids[1]))]       # all but <pad>
            np.testing.assert_allclose(got[:, written], expected[:len(target) + 1, written], atol=1e-5)
            self.assertTrue((got[:, 1] < -1000).all() and (got[:, len(ids[1]):] < -1000).all())
        texts = {number: piece for piece, number in ids[1].items()}
        self.assertEqual([vocabularies[1].id_to_piece(i) for i in range(len(texts))], [texts[i] for i in range(len(texts))])
        self.assertEqual([plain(text) for text in translate(out, TEXTS)], definition(out, TEXTS))

    def test_variants(self):
        ids = self.dictionary(0, 'en', without=['▁cat', 'ö']), self.dictionary(1, 'de')
        for name, changes in VARIANTS.items():
            with self.subTest(name):
                torch.manual_seed(1)
                model = Fairseq(OPTIONS | changes, *map(len, ids))
                models.randomise(model, 3)
                out = self.convert_checkpoint(self.checkpoint(model), '--vocabulary', *self.spm)
                self.check_numbers(model, out, ids)
                shutil.rmtree(out)

    def convert_checkpoint(self, path, *options):
        """The folder made of a checkpoint."""
        return self.convert('fairseq', [path], *LANGUAGES, '--dictionaries', self.path('data'), *options)

    def joint(self, **changes):
        """(model, ids) of one dictionary for both sides."""
        ids = self.dictionary(0, 'en')
        shutil.copyfile(self.path('data/dict.en.txt'), self.path('data/dict.de.txt'))
        torch.manual_seed(1)
        model = Fairseq(OPTIONS | {'share_all_embeddings': True} | changes, len(ids), len(ids))
        return models.randomise(model, 3), ids

    def test_one_dictionary_and_newer_options(self):
        model, ids = self.joint()
        path = self.checkpoint(model, args=None, cfg={'model': argparse.Namespace(_name='transformer', **model.options)})
        out = self.convert_checkpoint(path, '--vocabulary', self.spm[0])
        self.assertEqual(sorted(os.listdir(out)), ['config.json', 'model.safetensors', 'vocab.spm'])
        self.check_numbers(model, out, (ids, ids))

    def test_old_names_of_tensors(self):
        model, ids = self.joint()
        state = {name: tensor.float() for name, tensor in model.state_dict().items()}
        for name in list(state):
            if '.q_proj.' in name:
                parts = [state.pop(name.replace('q_proj', letter + '_proj')) for letter in 'qkv']
                state[name.replace('q_proj.', 'in_proj_')] = torch.cat(parts)
        for side, norms in fairseq.NORMS.items():
            for i in range(OPTIONS[side + '_layers']):
                for j, norm in enumerate(norms):
                    for part in ('weight', 'bias'):
                        state[f'{side}.layers.{i}.layer_norms.{j}.{part}'] = state.pop(f'{side}.layers.{i}.{norm}.{part}')
        state['decoder.embed_out'] = state.pop('decoder.output_projection.weight')
        path = self.checkpoint(model, model=state)
        self.check_numbers(model, self.convert_checkpoint(path, '--vocabulary', self.spm[0]), (ids, ids))

    def test_alignment_heads(self):
        model, _ = self.joint(arch='transformer_align', alignment_layer=-1, alignment_heads=1)
        out = self.convert_checkpoint(self.checkpoint(model), '--vocabulary', self.spm[0])
        self.assertEqual(reference.Model(out).config['alignment_heads'], [[1, 0]])

    def test_word_list(self):
        words = 'the cat sleeps die Katze schläft'.split()
        for language in ('en', 'de'):
            self.write(f'data/dict.{language}.txt', ''.join(f'{word} 9\n' for word in words))
        model = models.randomise(Fairseq(OPTIONS | {'share_all_embeddings': True}, 10, 10), 1)
        out = self.convert_checkpoint(self.checkpoint(model))
        vocabulary = reference.load_vocabulary(out)
        self.assertEqual(vocabulary.encode('the cat  barks'), [4, 5, 3])
        self.assertEqual(vocabulary.decode([7, 8, 9]), 'die Katze schläft')

    def test_unknown_things_are_refused_by_name(self):
        model, _ = self.joint()
        state = {name: tensor.float() for name, tensor in model.state_dict().items()}
        options = ['--vocabulary', self.spm[0], '--dictionaries', self.path('data')]

        def refusal(**more):
            return self.refused('fairseq', [self.checkpoint(model, **more)], *LANGUAGES, *options)
        for change, complaint in (
                ({'arch': 'fconv'}, 'has the architecture fconv'), ({'arch': 'transformer_lm'}, 'architecture transformer_lm'),
                ({'activation_fn': 'relu_squared'}, 'activation_fn is relu_squared; known are relu'),
                ({'cross_self_attention': True}, 'cross_self_attention is True, which is not known'),
                ({'encoder_learned_pos': True}, 'learned positions on one side only'),
                ({'encoder_attention_heads': None}, 'encoder_attention_heads is missing')):
            with self.subTest(complaint):
                self.assertIn(complaint, refusal(args=argparse.Namespace(**model.options | change)))
        for name, tensor, complaint in (
                ('decoder.layers.0.c_attn', torch.ones(2), 'does not know: decoder.layers.0.c_attn'),
                ('decoder.project_in_dim.weight', torch.ones(2, 2), 'does not know: decoder.project_in_dim.weight'),
                ('encoder.layers.0.fc1.bias', None, 'lacks the tensor encoder.layers.0.fc1.bias')):
            with self.subTest(complaint):
                changed = {key: value for key, value in (state | {name: tensor}).items() if value is not None}
                self.assertIn(complaint, refusal(model=changed))
        self.assertIn("holds no 'model'", refusal(model=None))
        self.assertIn("neither 'args' nor 'cfg'", refusal(args=None))
        self.assertIn('holds threading.Thread', refusal(extra_state=threading.Thread))
        self.write('data/dict.de.txt', 'a 1\nb\n')
        self.assertIn('the line "b" is no piece with its count', refusal())
        self.write('data/dict.de.txt', 'a 1\nb 1\n')
        self.assertIn('dictionaries of', refusal())
        os.remove(self.path('data/dict.de.txt'))
        self.assertIn('dict.de.txt is missing', refusal())


def padded(rows):
    """[B, L] of rows of any length."""
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[Fairseq.PAD] * (longest - len(row))] for row in rows])


if __name__ == '__main__':
    unittest.main()
