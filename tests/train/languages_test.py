#!/usr/bin/python3
"""The scripts on languages that this repository has no model of: which column is which comes from names, configs and options."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import sentencepiece

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../scripts/training'))
import tiny_text

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..')
CORE = os.path.join(ROOT, 'build/native/dragoman')
# What the texts say does not matter here: that no line of the one column can be taken for one of the other does.
PAIRS = tiny_text.pairs(400)


def run(*command):
    """(exit status, output, errors) of a command of scripts/."""
    done = subprocess.run([os.path.join(ROOT, 'scripts', command[0]), *command[1:]], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


class Languages(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, pairs, backwards=False):
        """The path of a new file of pairs."""
        path = os.path.join(self.folder, name)
        with open(path, 'w', encoding='utf-8') as file:
            file.writelines('\t'.join(reversed(pair) if backwards else pair) + '\n' for pair in pairs)
        return path

    def model(self, path='model', weights='tiny-int8'):
        """A model folder from French to Spanish, by its own account."""
        folder = os.path.join(self.folder, path)
        shutil.copytree(os.path.join(ROOT, 'tests/data', weights), folder)
        with open(os.path.join(folder, 'config.json'), 'r+', encoding='utf-8') as file:
            config = json.load(file)
            file.seek(0)
            json.dump(config | {'source_language': 'fr', 'target_language': 'es'}, file)
            file.truncate()
        return folder

    def translated(self, model):
        """Twenty pairs of a text and what the model makes of it."""
        sources = [source for source, _ in PAIRS[:20]]
        core = subprocess.run([CORE, 'translate', '--model', model], input='\n'.join(sources), capture_output=True, text=True,
                              check=True)
        return list(zip(sources, core.stdout.splitlines(), strict=True))

    def test_evaluate_takes_each_column_for_what_the_name_says(self):
        model = self.model()
        perfect = self.translated(model)
        sets = os.path.join(self.folder, 'sets')
        os.mkdir(sets)
        for name, backwards in (('sets/onwards.fr-es.tsv', False), ('sets/back.es-fr.tsv', True), ('sets/odd.es-fr.tsv', False)):
            self.write(name, perfect, backwards)
        score = {line.split(' | ')[0][2:]: float(line.split(' | ')[4]) for line in
                 run('evaluate', '--sets', sets, '--models', model)[1].split('\n\n')[0].splitlines()[2:]}
        self.assertEqual((score['onwards'], score['back']), (100, 100))
        self.assertLess(score['odd'], 50)
        stated = run('evaluate', '--sets', sets, '--models', model, '--columns', 'fr-es')[1].splitlines()
        self.assertIn('| odd | fr-es | 20 | ', stated[3])
        self.assertIn(' 100.00 | ', stated[3])

    def test_evaluate_says_what_int8_loses_and_fails_where_it_is_too_much(self):
        model, wanted = self.model(), self.model('float/model', 'tiny-f16')
        sets = os.path.join(self.folder, 'sets')
        os.mkdir(sets)
        self.write('sets/first.fr-es.tsv', self.translated(wanted)[:8])
        self.write('sets/second.fr-es.tsv', self.translated(wanted)[8:])
        command = ['evaluate', '--sets', sets, '--models', model, '--float', os.path.dirname(wanted)]
        status, tables, errors = run(*command)
        self.assertEqual(status, 1)
        self.assertRegex(errors, r'evaluate: int8 loses \d+\.\d\d BLEU, more than 0\.2\n$')
        self.assertRegex(tables, r'\| all as one \| fr-es \| 20 \|.*\| \d+\.\d\d \(-?\d+\.\d\d to \d+\.\d\d\) \|')

        shutil.rmtree(wanted)
        shutil.copytree(model, wanted)
        status, tables, errors = run(*command)
        self.assertEqual(status, 0, errors)
        self.assertEqual(tables.count('| 0.00 (0.00 to 0.00) |'), 3)

    def test_recipe(self):
        first, second = self.write('a.fr-es.tsv', PAIRS[:200]), self.write('b.es-fr.tsv', PAIRS[200:], backwards=True)
        work, out = os.path.join(self.folder, 'work'), os.path.join(self.folder, 'out')
        status, _, errors = run('train', 'prepare', '--work', work, '--pairs', first, second, '--vocabulary', '320',
                                '--held-out', '20', '--no-variations')
        self.assertEqual(status, 0, errors)
        self.assertEqual(os.listdir(os.path.join(work, 'sets')), ['held-out.fr-es.tsv'])
        pieces = sentencepiece.SentencePieceProcessor(model_file=os.path.join(work, 'vocab.spm'))
        with np.load(os.path.join(work, 'train.npz')) as data:
            ends = np.cumsum(data['lengths'])
            sides = {pieces.decode(ids.tolist()) for ids in np.split(data['ids'], ends[:-1])[::2]}
        self.assertEqual(len(sides), 380)
        self.assertLessEqual(sides, {source for source, _ in PAIRS})

        shape = ['--steps', '1', '--width', '8', '--ffn', '8', '--heads', '2', '--encoder-layers', '1', '--decoder-layers', '1']
        for options, direction in (([], ('fr', 'es')), (['--source', 'es'], ('es', 'fr'))):
            status, _, errors = run('train', 'fit', '--work', work, '--out', out, *shape, *options)
            self.assertEqual(status, 0, errors)
            with open(os.path.join(out, 'config.json'), encoding='utf-8') as file:
                config = json.load(file)
            self.assertEqual((config['source_language'], config['target_language']), direction)
        status, _, errors = run('train', 'fit', '--work', work, '--out', out, *shape, '--source', 'it')
        self.assertEqual((status, errors.splitlines()[-1]), (1, f'train: {work}/train.npz has fr and es, not it'))

    def test_distilled_columns_are_as_the_name_says(self):
        model, out = self.model(), os.path.join(self.folder, 'out.es-fr.tsv')
        perfect = self.translated(model)
        status, _, errors = run('train', 'distil', '--model', model, '--pairs', self.write('a.fr-es.tsv', perfect), '--out', out,
                                '--beam', '1')
        self.assertEqual(status, 0, errors)
        with open(out, encoding='utf-8') as file:
            pairs = [tuple(line.rstrip('\n').split('\t')) for line in file]
        self.assertGreater(len(pairs), 5)       # no text without letters, none far longer than the other side
        self.assertLessEqual({(source, target) for target, source in pairs}, set(perfect))

    def test_shortlist(self):
        model = self.model()
        status, output, errors = run('models/shortlist.py', model, self.write('a.es-fr.tsv', PAIRS, backwards=True))
        self.assertEqual((status, output.split()[:3]), (0, ['400', 'pairs', 'aligned;']), errors)

    def test_files_whose_languages_are_unknown_or_others_are_refused(self):
        unnamed, others = self.write('a.tsv', PAIRS), self.write('a.fr-it.tsv', PAIRS)
        status, _, errors = run('train', 'prepare', '--work', self.folder, '--pairs', unnamed)
        question = f'{unnamed}: which languages? Name it NAME.SOURCE-TARGET.tsv, or give --columns'
        self.assertEqual((status, errors), (1, f'train: {question}\n'))
        status, _, errors = run('models/shortlist.py', self.model(), others)
        self.assertEqual((status, errors), (1, f'shortlist.py: {others} has fr and it, not fr and es\n'))
        status, _, errors = run('train', 'prepare', '--work', self.folder, '--pairs', unnamed, '--columns', 'fr')
        self.assertEqual(status, 2, errors)


if __name__ == '__main__':
    unittest.main()
