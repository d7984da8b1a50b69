"""A trained model as the files that Bergamot reads."""
import itertools
import json
import os
import shutil

import marian_file
import text

SHOWN = 100     # pairs on which activations are as large as on any


def write(model, pairs, stated, out):
    """The folder `out` of the model folder `model`; `pairs`: a file of sentences and translations, `stated`: its columns."""
    with open(os.path.join(model, 'config.json'), encoding='utf-8') as file:
        config = json.load(file)
    languages = config['source_language'], config['target_language']
    shown = itertools.islice(text.read_pairs(pairs, languages, stated), SHOWN)
    os.makedirs(out, exist_ok=True)
    direction = ''.join(languages)
    marian_file.export(model, os.path.join(out, f'model.{direction}.intgemm.alphas.bin'), ['\t'.join(pair) for pair in shown])
    shutil.copyfile(os.path.join(model, 'vocab.spm'), os.path.join(out, f'vocab.{direction}.spm'))
