#!/usr/bin/python3
"""Marian's .npz: what goes out of a model folder by Marian's names comes back as it was."""
import json
import os
import shutil
import unittest

import numpy as np
import sentencepiece
from support import DATA, ConversionTest, translate

import marian_config
import marian_npz
import model_config
import weight_file

LANGUAGES = ['--from', 'en', '--to', 'de']


def marians(config, tensors):
    """{Marian's name: array} of a folder's tensors."""
    out = {}

    def walk(ours, marian, matrix=True):
        array = tensors[ours].astype(np.float32)
        out[marian] = (array.T if matrix else array) if array.ndim == 2 else array.reshape(1, -1)
    for ours in tensors:
        part = ours.split('.')
        if ours == 'final_logits_bias':
            walk(ours, 'decoder_ff_logit_out_b')
        elif 'layers' not in part:
            walk(ours, {'shared': 'Wemb'}.get(part[1], part[1] + '_Wemb'), matrix=False)
        else:
            prefix, kind, end = f'{part[1]}_l{int(part[3]) + 1}', part[4], {'weight': 'W', 'bias': 'b'}[part[-1]]
            norm = {'self_attn_layer_norm': 'self_Wo', 'encoder_attn_layer_norm': 'context_Wo', 'ssru_layer_norm': 'rnn_ffn',
                    'final_layer_norm': 'ffn_ffn'}.get(kind)
            if norm:
                walk(ours, f'{prefix}_{norm}_ln_' + {'W': 'scale', 'b': 'bias'}[end])
            elif kind in {'fc1', 'fc2'}:
                walk(ours, f'{prefix}_ffn_{end}{kind[2]}')
            else:
                name = {'self_attn': 'self', 'encoder_attn': 'context', 'ssru': 'rnn'}[kind]
                letter = {'candidate': '', 'forget': 'f', 'out_proj': 'o'}.get(part[5], part[5][0])
                walk(ours, f'{prefix}_{name}_{end}{letter}')
    out['special:model.yml'] = np.frombuffer(marian_config.marian_config(config).encode() + b'\0', np.int8)
    return out


def read_folder(folder):
    """(config.json's content, tensors)"""
    with open(os.path.join(folder, 'config.json'), encoding='utf-8') as file:
        return json.load(file), weight_file.read(os.path.join(folder, 'model.safetensors'))[0]


class MarianNpz(ConversionTest):

    def npz(self, arrays):
        """The path of a model of Marian's."""
        np.savez(self.path('model.npz'), **arrays)
        return self.path('model.npz')

    def with_option(self, key, value):
        """tiny-f16's arrays with another option."""
        config, tensors = read_folder(os.path.join(DATA, 'tiny-f16'))
        arrays = marians(config, tensors)
        text = arrays['special:model.yml'].tobytes().decode().rstrip('\0')
        lines = [line for line in text.splitlines() if not line.startswith(key + ':')]
        arrays['special:model.yml'] = np.frombuffer('\n'.join([*lines, f'{key}: {value}']).encode(), np.int8)
        return arrays

    def test_every_tensor_and_translation_comes_back(self):
        for name, vocabularies in (('tiny-f16', ['vocab.spm']), ('tiny-ssru', ['source.spm', 'target.spm'])):
            with self.subTest(name):
                folder = os.path.join(DATA, name)
                config, tensors = read_folder(folder)
                out = self.convert('marian', [self.npz(marians(config, tensors))], *LANGUAGES, '--vocabulary',
                                   *(os.path.join(folder, file) for file in vocabularies))
                found_config, found = read_folder(out)
                self.assertEqual(found_config, found_config | config)
                self.assertEqual(found.keys(), tensors.keys())
                for tensor, array in tensors.items():
                    np.testing.assert_array_equal(found[tensor], array.astype(np.float32), tensor)
                with open(os.path.join(folder, 'golden.json'), encoding='utf-8') as file:
                    cases = json.load(file)['cases']
                self.assertEqual(translate(out, [case['source'] for case in cases]), [case['greedy'] for case in cases])
                shutil.rmtree(out)

    def test_pieces_numbered_by_vocab_yml(self):
        folder = os.path.join(DATA, 'tiny-f16')
        config, tensors = read_folder(folder)
        pieces = sentencepiece.SentencePieceProcessor(model_file=os.path.join(folder, 'vocab.spm'))
        size = pieces.get_piece_size()
        order = np.concatenate([[0, 1], np.random.default_rng(1).permutation(np.arange(2, size))])     # order[new] = old
        arrays = marians(config, tensors)
        arrays['Wemb'], arrays['decoder_ff_logit_out_b'] = arrays['Wemb'][order], arrays['decoder_ff_logit_out_b'][:, order]
        yml = ''.join(f'{json.dumps(pieces.id_to_piece(int(old)), ensure_ascii=False)}: {new}\n' for new, old in enumerate(order))
        out = self.convert('marian', [self.npz(arrays)], *LANGUAGES, '--vocabulary', os.path.join(folder, 'vocab.spm'), '--ids',
                           self.write('vocab.yml', yml))
        with open(os.path.join(folder, 'golden.json'), encoding='utf-8') as file:
            cases = json.load(file)['cases']
        self.assertEqual(translate(out, [case['source'] for case in cases]), [case['greedy'] for case in cases])

    def test_unknown_things_are_refused_by_name(self):
        vocabulary = ['--vocabulary', os.path.join(DATA, 'tiny-f16/vocab.spm')]
        for key, value, complaint in (
                ('transformer-decoder-autoreg', 'average-attention', "is 'average-attention'; known are"),
                ('transformer-postprocess', 'dhn', "is 'hn' besides dropout; known are 'an'"),
                ('transformer-ffn-activation', 'tanh', "is 'tanh'; known are 'relu', 'gelu', 'swish'"),
                ('transformer-no-projection', 'true', 'must be false'), ('type', 's2s', 'must be transformer'),
                ('dim-vocabs', '[384]', 'not the sizes of two vocabularies'), ('dim-emb', 'wide', 'no whole number'),
                ('the-latest', '1', 'options that this converter does not know: the-latest')):
            with self.subTest(key):
                said = self.refused('marian', [self.npz(self.with_option(key, value))], *LANGUAGES, *vocabulary)
                self.assertIn(key, said)
                self.assertIn(complaint, said)
        arrays = self.with_option('type', 'transformer')
        for change, complaint in (
                ({'encoder_l1_self_Wq': None}, 'lacks the tensor encoder_l1_self_Wq'),
                ({'encoder_l1_self_Wq': np.zeros((32, 31), np.float32)}, 'encoder_l1_self_Wq has shape [32, 31], not [32, 32]'),
                ({'encoder_l1_self_Wq': np.full((32, 32), np.nan, np.float32)}, 'encoder_l1_self_Wq holds values that no'),
                ({'encoder_l1_self_Wq': np.zeros((32, 32), np.int8)}, 'encoder_l1_self_Wq is of type int8'),
                ({'decoder_l1_self_Wz': np.zeros(1, np.float32)}, 'this converter does not know: decoder_l1_self_Wz'),
                ({'special:model.yml': None}, 'lacks special:model.yml')):
            with self.subTest(complaint):
                changed = {name: array for name, array in (arrays | change).items() if array is not None}
                self.assertIn(complaint, self.refused('marian', [self.npz(changed)], *LANGUAGES, *vocabulary))
        path = self.npz(arrays)
        self.assertIn('needs a vocabulary', self.refused('marian', [path], *LANGUAGES))
        self.assertIn('320 pieces does not fit the model\'s 384', self.refused(
            'marian', [path], *LANGUAGES, '--vocabulary', os.path.join(DATA, 'tiny-ssru/source.spm')))
        self.assertIn('is no SentencePiece model', self.refused('marian', [path], *LANGUAGES, '--vocabulary', path))
        np.savez(path, **arrays | {'encoder_l1_self_Wq': np.array([{}], object)}, allow_pickle=True)
        self.assertIn('cannot be read', self.refused('marian', [path], *LANGUAGES, *vocabulary))


class Variants(unittest.TestCase):
    """Options of Marian's that config.json has fields for."""

    def read(self, **changes):
        options = marian_npz.Options(marian_config.marian_config(model_config.make_config('en', 'de', 10, 8, 16, 1, 2, 2)))
        options.values.update(changes)
        return marian_npz.read_config(options, 'en', 'de')

    def test_fields(self):
        pre_norm = self.read(**{'transformer-preprocess': 'n', 'transformer-postprocess': 'da',
                                'transformer-postprocess-top': 'n'})
        for key in ('normalize_before', 'encoder_final_norm', 'decoder_final_norm'):
            self.assertIs(pre_norm[key], True)
            self.assertIs(self.read()[key], False)
        self.assertEqual(self.read(**{'transformer-ffn-activation': 'swish'})['activation_function'], 'silu')
        self.assertEqual(self.read(**{'transformer-ffn-activation': 'gelu'})['activation_function'], 'quick_gelu')
        trained = self.read(**{'transformer-train-position-embeddings': 'true'})
        self.assertEqual((trained['position_embedding'], trained['scale_embedding']), ('learned', False))
        self.assertEqual(self.read(**{'transformer-decoder-dim-ffn': '24'})['decoder_ffn_dim'], 24)
        self.assertEqual(self.read(**{'transformer-guided-alignment-layer': '1'})['alignment_heads'], [[0, 0]])
        self.assertEqual(self.read(**{'transformer-tied-layers': ['1', '1']})['decoder_tied_layers'], [0, 0])
        self.assertEqual(self.read(**{'tied-embeddings-all': 'false', 'dim-vocabs': ['10', '12']})['decoder_vocab_size'], 12)


if __name__ == '__main__':
    unittest.main()
