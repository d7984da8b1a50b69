#!/usr/bin/python3
"""MarianMT as Hugging Face stores it: the converted model gives PyTorch's numbers, and its two tokenisers' pieces."""
import os
import shutil
import unittest

import numpy as np
import sentencepiece
import torch
from models import MarianMT
from support import DATA, ConversionTest, definition, plain, translate

import reference
import weight_file

LANGUAGES = ['--from', 'en', '--to', 'de']
FIELDS = {
    'architectures': ['MarianMTModel'], 'model_type': 'marian', 'd_model': 16, 'encoder_layers': 2, 'decoder_layers': 1,
    'encoder_attention_heads': 4, 'decoder_attention_heads': 2, 'encoder_ffn_dim': 24, 'decoder_ffn_dim': 20,
    'activation_function': 'swish', 'scale_embedding': True, 'static_position_embeddings': True, 'normalize_before': False,
    'normalize_embedding': False, 'max_position_embeddings': 512, 'eos_token_id': 0, 'dropout': 0.1, 'num_beams': 4,
    'bad_words_ids': [[0]], 'transformers_version': '4.33.0'}
TEXTS = ['The cat sleeps on the old chair.', 'Where is the next train station?', 'Jürgen 🐱 and ＡＢＣ', 'ö']


class MarianMt(ConversionTest):

    def setUp(self):
        super().setUp()
        self.spm = {side: os.path.join(DATA, 'tiny-ssru', side + '.spm') for side in ('source', 'target')}
        self.pieces = {side: sentencepiece.SentencePieceProcessor(model_file=path) for side, path in self.spm.items()}

    def texts(self, side):
        """The pieces of a side."""
        return [self.pieces[side].id_to_piece(i) for i in range(self.pieces[side].get_piece_size())]

    def hugging_face(self, ids, binary=False, target_ids=None, **changes):
        """(model, folder) as Hugging Face writes it; ids: vocab.json's content; binary: pytorch_model.bin."""
        config = FIELDS | {'vocab_size': len(ids), 'pad_token_id': ids['<pad>'], 'decoder_start_token_id': ids['<pad>']} | changes
        torch.manual_seed(1)
        model = MarianMT(config).randomise(5)
        for name, content in (('config.json', config), ('vocab.json', ids), ('target_vocab.json', target_ids)):
            if content is not None:
                self.write('hf/' + name, content)
        for side, path in self.spm.items():
            with open(path, 'rb') as file:
                self.write(f'hf/{side}.spm', file.read())
        state = {name: tensor.float() for name, tensor in model.state_dict().items()}
        if binary:
            torch.save(state, self.path('hf/pytorch_model.bin'))
        else:
            del state['lm_head.weight']
            if target_ids is None:
                del state['model.encoder.embed_tokens.weight'], state['model.decoder.embed_tokens.weight']
            weight_file.write(self.path('hf/model.safetensors'), {n: t.numpy() for n, t in state.items()}, 'pt')
        return model, self.path('hf')

    def joint_ids(self):
        """A vocab.json over both sides, in an order of its own, that lacks three pieces of the source's."""
        joint = [text for text in dict.fromkeys(self.texts('source') + self.texts('target')) if text not in {'</s>', '<unk>'}]
        order = np.random.default_rng(3).permutation(len(joint))
        self.missing = ['▁cat', '▁old', 'ö']
        texts = ['</s>', '<unk>', *(joint[i] for i in order if joint[i] not in self.missing), '<pad>']
        return {text: i for i, text in enumerate(texts)}

    def check_numbers(self, model, out, ids, target_ids=None):
        """That pieces are those of the tokenisers, and logits PyTorch's, each sentence alone as in a padded batch."""
        found, vocabularies = reference.Model(out), reference.load_vocabularies(out)
        target_ids, pad, unknown = target_ids or ids, model.config['pad_token_id'], ids['<unk>']
        rng = np.random.default_rng(1)
        targets = [rng.integers(2, len(target_ids) - 1, 3 + 2 * i).tolist() for i in range(len(TEXTS))]
        sources = [[ids.get(piece, unknown) for piece in self.pieces['source'].encode(text, out_type=str)] + [0]
                   for text in TEXTS]
        with torch.no_grad():
            logits = model(padded(sources, pad), padded([[pad, *target] for target in targets], pad)).numpy()
        for text, source, target, expected in zip(TEXTS, sources, targets, logits, strict=True):
            ours = [*vocabularies[0].encode(text), 0]
            self.assertEqual([unknown if piece >= pad else piece for piece in ours], source)
            got, written = found.decode(target, found.encode(ours))[0], len(target_ids) - 1      # all but <pad>
            np.testing.assert_allclose(got[:, :written], expected[:len(target) + 1, :written], atol=1e-5)
            self.assertTrue((got[:, written:] < -1000).all())
        names = {number: piece for piece, number in target_ids.items()}
        self.assertEqual([vocabularies[1].id_to_piece(i) for i in range(pad)], [names[i] for i in range(pad)])
        self.assertEqual([plain(text) for text in translate(out, TEXTS)], definition(out, TEXTS))

    def test_numbers_and_pieces(self):
        for binary in (False, True):
            with self.subTest(binary=binary):
                ids = self.joint_ids()
                model, folder = self.hugging_face(ids, binary)
                self.check_numbers(model, self.convert('huggingface', [folder], *LANGUAGES), ids)
                shutil.rmtree(folder)

    def test_separate_vocabularies(self):
        both = [{text: i for i, text in enumerate([*self.texts(side)[:320], '<pad>'])} for side in ('source', 'target')]
        model, folder = self.hugging_face(both[0], target_ids=both[1], share_encoder_decoder_embeddings=False,
                                          decoder_vocab_size=321, activation_function='gelu', scale_embedding=False)
        self.check_numbers(model, self.convert('huggingface', [folder], *LANGUAGES), *both)

    def test_a_start_that_is_no_zero_vector(self):
        ids = self.joint_ids()
        model, folder = self.hugging_face(ids, binary=True)
        state = torch.load(os.path.join(folder, 'pytorch_model.bin'))
        for name in ('model.shared', 'model.encoder.embed_tokens', 'model.decoder.embed_tokens', 'lm_head'):
            state[name + '.weight'][-1] = 0.25
        torch.save(state, os.path.join(folder, 'pytorch_model.bin'))
        model.model.shared.weight.data[-1] = 0.25
        self.check_numbers(model, self.convert('huggingface', [folder], *LANGUAGES), ids)

    def test_unknown_things_are_refused_by_name(self):
        ids = self.joint_ids()
        for changes, complaint in (
                ({'normalize_before': True}, 'normalize_before must be False, not True'),
                ({'model_type': 'bart'}, 'model_type must be marian, not bart'),
                ({'activation_function': 'mish'}, 'activation_function is mish; known are relu'),
                ({'d_model': 'wide'}, 'd_model is wide, no whole number'),
                ({'alibi': True}, 'fields that this converter does not know: alibi'),
                ({'share_encoder_decoder_embeddings': False}, 'lacks the tensor model.encoder.embed_tokens.weight')):
            with self.subTest(complaint):
                self.hugging_face(ids)
                self.write('hf/config.json', FIELDS | {
                    'vocab_size': len(ids), 'pad_token_id': ids['<pad>'], 'decoder_start_token_id': ids['<pad>']} | changes)
                self.assertIn(complaint, self.refused('huggingface', [self.path('hf')], *LANGUAGES))
        _, folder = self.hugging_face(ids, binary=True)
        os.remove(os.path.join(folder, 'model.safetensors'))
        state = torch.load(os.path.join(folder, 'pytorch_model.bin'))
        for name, tensor, complaint in (
                ('model.encoder.layer_norm.weight', torch.ones(16), 'does not know: model.encoder.layer_norm.weight'),
                ('model.encoder.layers.1.fc1.bias', torch.ones(23), 'layers.1.fc1.bias has shape [23], not [24]'),
                ('lm_head.weight', torch.ones(3, 16), 'lm_head.weight differs from the one that the configuration says'),
                ('model.encoder.embed_positions.weight', torch.ones(512, 16), 'embed_positions.weight are no sinusoids')):
            with self.subTest(complaint):
                torch.save(state | {name: tensor}, os.path.join(folder, 'pytorch_model.bin'))
                self.assertIn(complaint, self.refused('huggingface', [folder], *LANGUAGES))
        torch.save(state, os.path.join(folder, 'pytorch_model.bin'))
        self.write('hf/vocab.json', {**ids, 'another': 5})
        self.assertIn('two pieces of one number', self.refused('huggingface', [folder], *LANGUAGES))
        self.write('hf/vocab.json', '{"a": ')
        self.assertIn('vocab.json is no JSON', self.refused('huggingface', [folder], *LANGUAGES))
        os.remove(os.path.join(folder, 'pytorch_model.bin'))
        self.assertIn('holds neither model.safetensors nor', self.refused('huggingface', [folder], *LANGUAGES))


def padded(rows, padding):
    """[B, L] of rows of any length."""
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[padding] * (longest - len(row))] for row in rows])


if __name__ == '__main__':
    unittest.main()
