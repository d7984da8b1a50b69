#!/usr/bin/python3
"""Measure how much of a glossary is honoured, and what that costs in BLEU.

usage: glossary.py MODEL_DIR NAME.SOURCE-TARGET.tsv [--train NAME.SOURCE-TARGET.tsv ...] [--sentences N]

The terms are what word_aligner.py, which learns from all files, finds in sentences of the first file and their references:
one or two words to one or two, rare ones, up to two terms a sentence, the translation being one that a person chose. A term
is honoured where the translation holds it as it is in the glossary (with a capital where a sentence begins), as often as
the source has it.
"""
import argparse
import collections
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import bleu
import parallel
import word_aligner

CORE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../build/native/dragoman')
BEAM = 4
LONGEST = 40            # words of a side
RAREST = 25             # sentences that have a word of a term
TERM = re.compile(r'[^\W\d_]{4,}')


def split(text):
    return [text[begin:end] for begin, end in word_aligner.words(text)]


def terms_of(source, target, links, common):
    """Pairs of up to two words that are linked to each other and to nothing else."""
    def sole(i, j):
        return (i, j) in links and sum(a == i or b == j for a, b in links) == 1 and source[i].lower() not in common
    for i, j in sorted(links):
        if not sole(i, j) or not TERM.fullmatch(source[i]) or not TERM.fullmatch(target[j]):
            continue
        yield source[i], target[j]
        if sole(i + 1, j + 1) and TERM.fullmatch(source[i + 1]) and TERM.fullmatch(target[j + 1]):
            yield f'{source[i]} {source[i + 1]}', f'{target[j]} {target[j + 1]}'


def occurrences(term, text):
    """How often a text has it as whole words; with a capital in front where a sentence begins."""
    return len(re.findall(rf'(?<![\w-]){re.escape(term)}(?![\w-])', text)) or len(
        re.findall(rf'(?:^|[.!?:] ["„“]?){re.escape(term[0].upper() + term[1:])}(?![\w-])', text))


def choose(pairs, aligned, count):
    """{term: translation} and the sentences that have them; wherever a term is, the reference has its translation."""
    in_sentences = collections.Counter(word for source, _ in pairs for word in {w.lower() for w in split(source)})
    common = {word for word, n in in_sentences.items() if n > RAREST}
    order = list(range(len(pairs)))
    random.Random(1).shuffle(order)
    glossary, chosen = {}, []
    for k in order:
        source, target = pairs[k]
        found = [(s, t) for s, t in terms_of(split(source), split(target), aligned[k][0], common)
                 if s not in glossary and occurrences(s, source) == occurrences(t, target) == 1
                 and all(occurrences(t, other) for text, other in pairs if occurrences(s, text))]
        random.Random(k).shuffle(found)
        if found:
            glossary.update(found[:2])
            chosen.append(k)
        if len(chosen) == count:
            break
    return glossary, [pairs[k] for k in sorted(chosen)]


def translate(model, sources, *options):
    run = subprocess.run([CORE, 'translate', '--model', model, '--beam', str(BEAM), *options], input='\n'.join(sources) + '\n',
                         text=True, encoding='utf-8', capture_output=True, check=False)
    if run.returncode:
        sys.exit(f'glossary.py: {run.stderr.strip()}')
    return run.stdout.split('\n')[:-1]


def main():
    parser = argparse.ArgumentParser(description='measure how much of a glossary is honoured')
    parser.add_argument('model')
    parser.add_argument('set', metavar='FILE')
    parser.add_argument('--train', nargs='+', default=[], metavar='FILE')
    parser.add_argument('--sentences', type=int, default=100)
    parser.add_argument('--show', action='store_true', help='print what is not honoured')
    args = parser.parse_args()
    with open(os.path.join(args.model, 'config.json'), encoding='utf-8') as file:
        config = json.load(file)
    try:
        pairs, *train = [[pair for pair in parallel.read(file, config['source_language'], config['target_language'])
                          if all(0 < len(split(side)) <= LONGEST for side in pair)] for file in [args.set, *args.train]]
    except parallel.LanguageError as error:
        sys.exit(f'glossary.py: {error}')
    every = list(itertools.chain(pairs, *train))
    aligned = word_aligner.align([split(s) for s, _ in every], [split(t) for _, t in every])
    glossary, chosen = choose(pairs, aligned, args.sentences)
    sources, references = zip(*chosen, strict=True)
    with tempfile.NamedTemporaryFile('w', suffix='.tsv', encoding='utf-8') as file:
        file.writelines(f'{term}\t{translation}\n' for term, translation in glossary.items())
        file.flush()
        translations = {'without': translate(args.model, sources),
                        'with': translate(args.model, sources, '--glossary', file.name)}
    several = sum(' ' in term for term in glossary)
    print(f'{len(sources)} sentences, {len(glossary)} terms, {several} of them of two words')
    for how, lines in translations.items():
        wanted = honoured = 0
        for source, line in zip(sources, lines, strict=True):
            for term, translation in glossary.items():
                times = occurrences(term, source)
                kept = min(times, occurrences(translation, line))
                wanted, honoured = wanted + times, honoured + kept
                if args.show and how == 'with' and kept < times:
                    print(f'{term} -> {translation}\n  {source}\n  {line}')
        print(f'{how}: {100 * honoured / wanted:.1f} % of {wanted} honoured, {bleu.bleu(lines, references):.2f} BLEU')


if __name__ == '__main__':
    main()
