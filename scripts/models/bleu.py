#!/usr/bin/python3
"""BLEU and chrF2 of a translation against one reference, as sacreBLEU defines them.

usage: bleu.py HYPOTHESES REFERENCES          (text files, a sentence a line)

BLEU: 13a tokeniser, case-sensitive, exponential smoothing. chrF2: character order 6, word order 0, beta 2.
"""
import argparse
import collections
import math
import re
import sys

import numpy as np

ENTITIES = (('&quot;', '"'), ('&amp;', '&'), ('&lt;', '<'), ('&gt;', '>'))


def tokenise_13a(text):
    """mteval-v13a's words: punctuation stands alone, but for full stops and commas inside numbers."""
    text = text.replace('<skipped>', '').replace('-\n', '').replace('\n', ' ')
    for entity, char in ENTITIES:
        text = text.replace(entity, char)
    text = f' {text} '
    text = re.sub(r'([\{-\~\[-\` -\&\(-\+\:-\@\/])', r' \1 ', text)
    text = re.sub(r'([^0-9])([\.,])', r'\1 \2 ', text)
    text = re.sub(r'([\.,])([^0-9])', r' \1 \2', text)
    text = re.sub(r'([0-9])(-)', r'\1 \2 ', text)
    return text.split()


def ngrams(items, order):
    """How often each run of `order` items occurs."""
    return collections.Counter(tuple(items[i:i + order]) for i in range(len(items) - order + 1))


def counts(hypotheses, references):
    """What BLEU adds up, [lines, 10]: words of a line, of its reference; n-grams in common and of the line, of order 1 to 4."""
    rows = np.zeros((len(hypotheses), 10), np.int64)
    for row, hypothesis, reference in zip(rows, hypotheses, references, strict=True):
        words, wanted = tokenise_13a(hypothesis), tokenise_13a(reference)
        row[:2] = len(words), len(wanted)
        for order in range(1, 5):
            row[2 * order:][:2] = (ngrams(words, order) & ngrams(wanted, order)).total(), max(0, len(words) - order + 1)
    return rows


def of_counts(rows):
    """BLEU, 0..100, of lines' counts."""
    hypothesis_length, reference_length, *sums = rows.sum(axis=0).tolist()
    hits, totals = sums[::2], sums[1::2]
    if not hits[0]:
        return 0.0
    smoothing, log_precision = 1.0, 0.0
    for hit, total in zip(hits, totals, strict=True):
        if total == 0:
            return 0.0
        if hit == 0:
            smoothing *= 2
            hit = 1 / smoothing
        log_precision += math.log(hit / total) / 4
    return 100 * math.exp(log_precision + min(0.0, 1 - reference_length / hypothesis_length))


def bleu(hypotheses, references):
    """Corpus BLEU, 0..100."""
    return of_counts(counts(hypotheses, references))


def loss(hypotheses, others, references, draws=1000):
    """(how much more BLEU `others` have, the least and the most in 95 % of draws): paired bootstrap (Koehn 2004)."""
    ours, theirs = counts(hypotheses, references), counts(others, references)
    random = np.random.default_rng(1)
    drawn = []
    for _ in range(draws):
        lines = random.integers(0, len(ours), len(ours))
        drawn.append(of_counts(theirs[lines]) - of_counts(ours[lines]))
    return of_counts(theirs) - of_counts(ours), *np.percentile(drawn, [2.5, 97.5]).tolist()


def chrf2(hypotheses, references, order=6, beta=2):
    """Corpus chrF2, 0..100."""
    hits, found, wanted = [0] * order, [0] * order, [0] * order
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        hypothesis, reference = ''.join(hypothesis.split()), ''.join(reference.split())
        for n in range(order):
            have, want = ngrams(hypothesis, n + 1), ngrams(reference, n + 1)
            hits[n] += (have & want).total()
            found[n] += have.total()
            wanted[n] += want.total()
    precision = sum(hit / total for hit, total in zip(hits, found, strict=True) if total) / order
    recall = sum(hit / total for hit, total in zip(hits, wanted, strict=True) if total) / order
    if precision + recall == 0:
        return 0.0
    return 100 * (1 + beta ** 2) * precision * recall / (beta ** 2 * precision + recall)


def main():
    parser = argparse.ArgumentParser(description='BLEU and chrF2 as sacreBLEU defines them')
    parser.add_argument('hypotheses')
    parser.add_argument('references')
    args = parser.parse_args()
    texts = []
    for path in (args.hypotheses, args.references):
        with open(path, encoding='utf-8', newline='\n') as file:
            texts.append([line.rstrip('\n') for line in file])
    if len(texts[0]) != len(texts[1]):
        sys.exit(f'bleu.py: {len(texts[0])} hypotheses, {len(texts[1])} references')
    print(f'BLEU {bleu(*texts):.2f} chrF2 {chrf2(*texts):.2f} lines {len(texts[0])}')


if __name__ == '__main__':
    main()
