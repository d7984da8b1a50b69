#!/usr/bin/python3
"""Measure a model's word alignment against a statistical aligner's, and find the heads of cross-attention that align best.

usage: alignment_error.py MODEL_DIR --test NAME.SOURCE-TARGET.tsv[:N] ... --train NAME.SOURCE-TARGET.tsv[:N] ... [--heads]

The model translates the sources of the test files; word_aligner.py, which learns from the training files and those
translations, aligns them, too. Alignment error rate (Och and Ney 2003): the links that both of its directions find are sure,
those of either are possible. --heads lists the rate of each head in place of those of config.json's `alignment_heads`.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

import parallel
import word_aligner

CORE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../build/native/dragoman')
LONGEST = 30            # words of a side


def read(files, config):
    """Pairs of text from NAME.tsv[:N], N at random, of at most LONGEST words a side."""
    pairs = []
    for file in files:
        path, _, most = file.partition(':')
        found = [pair for pair in parallel.read(path, config['source_language'], config['target_language'])
                 if all(0 < len(word_aligner.words(side)) <= LONGEST for side in pair)]
        random.Random(1).shuffle(found)
        pairs += found[:int(most)] if most else found
    return pairs


def translate(model, sources):
    """[(translation, links)]: a link is the ranges of two words, in characters (UTF-16 units: no emoji, please)."""
    run = subprocess.run([CORE, 'translate', '--model', model, '--json'], input='\n'.join(sources) + '\n', text=True,
                         encoding='utf-8', capture_output=True, check=True)
    found = []
    for line in run.stdout.splitlines():
        words = json.loads(line)['alignment']['words']
        links = [(words['source'][s], words['target'][t]) for s, t, _ in words['links']]
        found.append((json.loads(line)['translation'], links))
    return found


def on_words(links, source, target):
    """The core's links as indices of the aligner's words."""
    def index(words, place):
        return next((i for i, (begin, end) in enumerate(words) if begin < place[1] and place[0] < end), None)
    return {(index(source, s), index(target, t)) for s, t in links}


def errors(found, judged):
    """(alignment error rate, precision, recall) in percent."""
    links = sum(map(len, found))
    sure = sum(len(s) for s, _ in judged)
    right = sum(len(a & s) for a, (s, _) in zip(found, judged, strict=True))
    possible = sum(len(a & p) for a, (_, p) in zip(found, judged, strict=True))
    return tuple(100 * x for x in (1 - (right + possible) / (links + sure), possible / max(links, 1), right / sure))


def heads_of(model, config):
    """(name, folder of the model with only that head)."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ('model.safetensors', 'vocab.spm'):
            os.symlink(os.path.join(os.path.abspath(model), name), os.path.join(folder, name))
        for layer in range(config['decoder_layers']):
            for head in range(config['decoder_attention_heads']):
                with open(os.path.join(folder, 'config.json'), 'w', encoding='utf-8') as file:
                    json.dump(config | {'alignment_heads': [[layer, head]]}, file)
                yield f'[{layer}, {head}]', folder


def main():
    parser = argparse.ArgumentParser(description='measure word alignment')
    parser.add_argument('model')
    parser.add_argument('--test', nargs='+', required=True, metavar='FILE[:N]')
    parser.add_argument('--train', nargs='+', required=True, metavar='FILE[:N]')
    parser.add_argument('--heads', action='store_true', help='of each head by itself')
    args = parser.parse_args()
    with open(os.path.join(args.model, 'config.json'), encoding='utf-8') as file:
        config = json.load(file)
    try:
        sources = [source for source, _ in read(args.test, config)]
        train = read(args.train, config)
    except parallel.LanguageError as error:
        sys.exit(f'alignment_error.py: {error}')
    translations = [translation for translation, _ in translate(args.model, sources)]

    def split(text):
        return [text[begin:end] for begin, end in word_aligner.words(text)]
    judged = word_aligner.align([split(s) for s in sources] + [split(s) for s, _ in train],
                                [split(t) for t in translations] + [split(t) for _, t in train])[:len(sources)]
    words = [(word_aligner.words(s), word_aligner.words(t)) for s, t in zip(sources, translations, strict=True)]
    own = str(config.get('alignment_heads', 'the default'))
    for name, folder in heads_of(args.model, config) if args.heads else [(own, args.model)]:
        links = [on_words(links, *pair) for (_, links), pair in zip(translate(folder, sources), words, strict=True)]
        print(f'{name}: error {errors(links, judged)[0]:.1f} %, precision {errors(links, judged)[1]:.1f} %, '
              f'recall {errors(links, judged)[2]:.1f} %')


if __name__ == '__main__':
    main()
