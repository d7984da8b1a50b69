#!/usr/bin/python3
"""What Marian's options can say of a Transformer: its file gives the numbers of the definition.

Random models of the variants that Marian has are written as folders of ours, and by scripts/models/marian_file.py as Marian's
files. `dragoman inspect` shows the same of both, and what scripts/models/reference.py computes. Needs build/native/dragoman.
"""
import io
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..')
sys.path[:0] = [os.path.join(ROOT, 'scripts/models'), os.path.dirname(os.path.abspath(__file__))]
from inspect_test import inspect, watched  # ruff: ignore[module-import-not-at-top-of-file]

import make_tiny_model  # ruff: ignore[module-import-not-at-top-of-file]
import make_variant_models  # ruff: ignore[module-import-not-at-top-of-file]
import marian_config  # ruff: ignore[module-import-not-at-top-of-file]
import marian_file  # ruff: ignore[module-import-not-at-top-of-file]
import model_config  # ruff: ignore[module-import-not-at-top-of-file]
import reference  # ruff: ignore[module-import-not-at-top-of-file]

LINES = ['Where is the station?\tWo ist der Bahnhof?', 'cat\tDie Katze']
OWN_OUTPUT = {'share_encoder_decoder_embeddings': False, 'tie_word_embeddings': False}
TRAINED = {'position_embedding': 'learned', 'max_position_embeddings': 40, 'scale_embedding': False}
VARIANTS = {
    'norms first': {'normalize_before': True},
    'norms first, none behind': {'normalize_before': True, 'encoder_final_norm': False, 'decoder_final_norm': False},
    'norms behind, and behind all': {'encoder_final_norm': True, 'decoder_final_norm': True, 'normalize_embedding': True},
    'trained positions': TRAINED,
    'tied layers': {'decoder_tied_layers': [0, 0, 2]},
    'an output of its own': OWN_OUTPUT,
    'one embedding, an output of its own, no bias': {'tie_word_embeddings': False, 'output_bias': False},
    'swish': {'activation_function': 'silu'},
    "Marian's gelu": {'activation_function': 'quick_gelu', 'decoder_ffn_dim': 28},
    'SSRUs': {'decoder_unit': 'ssru', 'decoder_tied_layers': [0, 1, 0], **OWN_OUTPUT},
    'much at once': {'normalize_before': True, 'decoder_tied_layers': [0, 1, 1], 'normalize_embedding': True,
                     'activation_function': 'quick_gelu', **TRAINED, **OWN_OUTPUT},
}


def write(folder, config, seed):
    """A model of ours whose numbers Marian's format can hold: int8 matrices of one scale, one table of positions, no <unk>."""
    drawn = make_variant_models.random_tensors(seed, config)
    positions = {name: drawn['model.encoder.embed_positions.weight'].astype(np.float32)
                 for name in drawn if 'embed_positions' in name}
    if 'final_logits_bias' in drawn:
        drawn['final_logits_bias'][..., 1] = -1e4
    tensors = make_tiny_model.with_one_scale({name: array for name, array in drawn.items() if name not in positions})
    with open(os.path.join(ROOT, 'tests/data/tiny-heads/vocab.spm'), 'rb') as file:
        vocabulary = file.read()
    make_tiny_model.write_folder(folder, config | {'wide_activations': True}, {'vocab.spm': vocabulary}, tensors | positions)


def config_of(**variant):
    """config.json's content."""
    return model_config.make_config('en', 'de', 320, 24, 20, 2, 3, 3, **variant)


class MarianVariants(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.own, self.marians = (os.path.join(folder.name, name) for name in ('own', 'en-de'))

    def export(self, config, seed=1):
        """Both folders."""
        write(self.own, config, seed)
        os.makedirs(self.marians, exist_ok=True)
        marian_file.export(self.own, os.path.join(self.marians, 'model.ende.bin'), io.StringIO('\n'.join(LINES)))
        with open(os.path.join(self.own, 'vocab.spm'), 'rb') as source, open(
                os.path.join(self.marians, 'vocab.ende.spm'), 'wb') as target:
            target.write(source.read())

    def test_variants(self):
        for seed, (name, variant) in enumerate(VARIANTS.items()):
            with self.subTest(name):
                self.export(config_of(**variant), seed)
                model = reference.Model(self.own, int8_products=True)
                own, marians = (inspect(folder, LINES)['sentences'] for folder in (self.own, self.marians))
                for left, right in zip(own, marians, strict=True):
                    expected = watched(model, left['encoder']['tokens'], left['decoder']['tokens'])
                    for (side, key), array in expected.items():
                        self.assertEqual(left[side].keys(), right[side].keys())
                        if key == 'log_probabilities' and 'output_bias' in variant:
                            continue        # no bias that could forbid <unk>
                        np.testing.assert_allclose(right[side][key], left[side][key], rtol=0, atol=2e-3, err_msg=f'{side} {key}')
                        np.testing.assert_allclose(right[side][key], array, rtol=0, atol=2e-2, err_msg=f'{side} {key}')

    def test_what_marian_has_not(self):
        """Is not written."""
        for variant in ({'layer_norm': 'deviation'}, {'decoder_normalize_before': True}, {'encoder_head_dim': 4},
                        {'decoder_unit': 'ssru', 'normalize_before': True}):
            with self.assertRaisesRegex(ValueError, next(iter(variant))):
                marian_config.marian_config(config_of(**variant))

    def test_a_table_of_positions_that_is_missing_or_of_another_width(self):
        """A typed error that names it."""
        self.export(config_of(**TRAINED))
        path = os.path.join(self.marians, 'model.ende.bin')
        with open(path, 'rb') as file:
            good = file.read()
        at = good.index(b'Wpos\0')
        for bad, message in ((good[:at] + b'Xpos' + good[at + 4:], 'bad-model: model lacks the tensor Wpos'),
                             (good.replace(b'dim-emb: 24', b'dim-emb: 12'), 'bad-model: tensor Wemb has shape')):
            with open(path, 'wb') as file:
                file.write(bad)
            run = subprocess.run([os.path.join(ROOT, 'build/native/dragoman'), 'translate', '--model', self.marians], input='x\n',
                                 capture_output=True, text=True, check=False)
            self.assertEqual(run.returncode, 1)
            self.assertIn(message, run.stderr)


if __name__ == '__main__':
    unittest.main()
