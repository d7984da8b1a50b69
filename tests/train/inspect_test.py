#!/usr/bin/python3
"""`dragoman inspect` shows what the definition computes: hidden states, attention of all heads, log-probabilities, masks.

Compared with scripts/models/reference.py on the tiny models. Needs build/native/dragoman.
"""
import json
import os
import subprocess
import sys
import unittest

import numpy as np

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..')
sys.path.insert(0, os.path.join(ROOT, 'scripts/models'))
import reference  # ruff: ignore[module-import-not-at-top-of-file]

# Some with a translation, some without.
LINES = ['Where is the station?\tWo ist der Bahnhof?', 'Yes!\t', 'The children are playing in the garden.',
         'cat\tDie Katze ist auf 猫']


def inspect(folder, lines):
    """The command's object for lines of text."""
    command = [os.path.join(ROOT, 'build/native/dragoman'), 'inspect', '--model', folder]
    return json.loads(subprocess.run(command, input='\n'.join(lines), capture_output=True, text=True, check=True).stdout)


def watched(model, source, target):
    """What passes through the reference: ids of both with their ends -> the command's names, arrays."""
    seen = []
    model.watch = lambda name, array: seen.append((name, array))
    logits = model.decode(target[:-1], model.encode(source))[0]

    def all_of(side, end=''):
        return [array for name, array in seen if name.startswith(f'model.{side}.') and name.endswith(end)
                and array.ndim == (3 if end else 2)]
    found = {('encoder', 'hidden'): all_of('encoder'), ('encoder', 'self_attention'): all_of('encoder', '.self_attn'),
             ('decoder', 'hidden'): all_of('decoder'), ('decoder', 'self_attention'): all_of('decoder', '.self_attn'),
             ('decoder', 'cross_attention'): all_of('decoder', '.encoder_attn'),
             ('decoder', 'log_probabilities'): logits[np.arange(len(target)), target] - reference.log_normaliser(logits)}
    return {key: np.array(values) for key, values in found.items() if len(values)}


class Inspect(unittest.TestCase):

    def check(self, name, int8=False, tolerance=2e-4):
        """One of tests/data's folders."""
        folder = os.path.join(ROOT, 'tests/data', name)
        model, (source_vocabulary, target_vocabulary) = reference.Model(folder, int8), reference.load_vocabularies(folder)
        found = inspect(folder, LINES)
        for line, sentence in zip(LINES, found['sentences'], strict=True):
            text, *translation = line.split('\t')
            source = [*source_vocabulary.encode(text), model.eos]
            forced = [model.config['forced_bos_token_id']] if 'forced_bos_token_id' in model.config else []
            target = [*(forced + target_vocabulary.encode(translation[0]) if translation else model.greedy(source)), model.eos]
            if not translation and len(target) > model.limit(len(source)):
                target.pop()
            self.assertEqual(sentence['encoder']['tokens'], source)
            self.assertEqual(sentence['decoder']['tokens'], target)
            self.assertEqual(sentence['decoder']['pieces'], [target_vocabulary.id_to_piece(i) for i in target])
            expected = watched(model, source, target)
            shown = {(side, key) for side in ('encoder', 'decoder') for key in sentence[side]} - {
                (side, key) for side in ('encoder', 'decoder') for key in ('tokens', 'pieces')}
            self.assertEqual(shown, set(expected))
            for (side, key), array in expected.items():
                np.testing.assert_allclose(sentence[side][key], array, rtol=0, atol=tolerance, err_msg=f'{side} {key} of {line}')

    def test_norm_behind(self):
        self.check('tiny-f16')

    def test_norm_before_and_final_norms(self):
        self.check('tiny-before')

    def test_ssru_and_two_vocabularies(self):
        self.check('tiny-ssru')

    def test_heads_of_another_width_and_tied_layers(self):
        self.check('tiny-heads', int8=True, tolerance=2e-2)     # an activation between two levels may fall to either side

    def test_masks(self):
        """True is hidden: what is behind a sentence's end, and what is behind a position."""
        found = inspect(os.path.join(ROOT, 'tests/data/tiny-f16'), LINES)
        for side, mask in (('encoder', 'source_padding'), ('decoder', 'target_padding')):
            lengths = [len(sentence[side]['tokens']) for sentence in found['sentences']]
            self.assertEqual(found['masks'][mask], [[i >= n for i in range(max(lengths))] for n in lengths])
        self.assertEqual(found['masks']['causal'], np.triu(np.ones((max(lengths),) * 2, bool), 1).tolist())

    def test_too_long(self):
        """A typed error, at once."""
        command = [os.path.join(ROOT, 'build/native/dragoman'), 'inspect', '--model', os.path.join(ROOT, 'tests/data/tiny-f16')]
        for line in ('a ' * 2000, 'a\t' + 'b ' * 2000):
            run = subprocess.run(command, input=line, capture_output=True, text=True, check=False)
            self.assertEqual((run.returncode, run.stdout), (1, ''))
            self.assertRegex(run.stderr, r'^dragoman: invalid-argument: the (sentence|translation) has \d+ pieces; ')


if __name__ == '__main__':
    unittest.main()
