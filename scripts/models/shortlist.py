#!/usr/bin/python3
"""Give a model folder a lexical shortlist: for every source piece, the target pieces it is likely to be translated to.

usage: shortlist.py MODEL_DIR NAME.SOURCE-TARGET.tsv ... [--columns en-de] [--pairs 250000] [--best 40] [--frequent 128]

The text: as for training, the languages of its columns as its name says, or --columns. Word alignment by IBM model 1 (Brown
et al. 1993) with a null word, EM on a sample of the pairs. The core then looks for the next piece among the candidates of the
sentence's pieces, the most frequent target pieces, and the sentence's own pieces (names are copied), in place of the whole
vocabulary. Format, in model.safetensors:
  shortlist.candidates  U16 [V, K]   likeliest target pieces of source piece s in row s, filled up with 0 (eos)
  shortlist.frequent    U16 [F]      for every sentence
"""
import argparse
import collections
import itertools
import json
import os
import random
import sys

import numpy as np
import sentencepiece

import parallel
import weight_file

LONGEST = 30            # words of a side: longer pairs say little about which word belongs to which
ITERATIONS = 4
LEAST = 0.3             # expected number of times below which two words are one another's translation by chance
WORD_START = '\u2581'


class Words:
    """Numbers the words (tuples of piece ids) of one side; 0 is the null word."""

    def __init__(self, pieces):
        texts = [pieces.id_to_piece(i) for i in range(pieces.get_piece_size())]
        # A mark ends a word as a blank does.
        self.begins = [text.startswith(WORD_START) or not any(map(str.isalnum, text)) for text in texts]
        self.numbers = {(): 0}

    def split(self, ids):
        """Piece ids -> numbers of the words they spell."""
        words = []
        for piece in ids:
            if self.begins[piece] or not words:
                words.append([])
            words[-1].append(piece)
        return [self.numbers.setdefault(tuple(word), len(self.numbers)) for word in words]


def align(source, target, targets):
    """IBM model 1: the pairs (s * targets + t) of words that occur together, and how often s is expected to give t.

    source, target: word numbers of the pairs; `targets`: how many words the target side has.
    """
    cells, slots, slot = [], [], 0
    for s, t in zip(source, target, strict=True):
        cells.append((np.array(s + [0], np.int64)[:, None] * targets + np.array(t)).ravel())
        slots.append(np.tile(np.arange(slot, slot + len(t)), len(s) + 1))   # a target position shares out one count
        slot += len(t)
    cells, where = np.unique(np.concatenate(cells), return_inverse=True)
    slots, where = np.concatenate(slots).astype(np.int32), where.astype(np.int32)
    words = cells // targets
    p = np.ones(len(cells))
    for _ in range(ITERATIONS):
        weight = p[where]
        weight /= np.bincount(slots, weight, slot)[slots]
        count = np.bincount(where, weight, len(cells))
        p = count / np.bincount(words, count)[words]
    return cells, count


def best_candidates(counts, size, best):
    """U16 [size, best] from counts {(s, t): how often}: the likeliest targets of every source piece, filled up with 0."""
    candidates = np.zeros((size, best), np.uint16)
    filled = np.zeros(size, np.int64)
    for (s, t), _ in counts.most_common():
        if filled[s] < best:
            candidates[s, filled[s]] = t
            filled[s] += 1
    return candidates


def main():
    parser = argparse.ArgumentParser(description='give a model folder a lexical shortlist')
    parser.add_argument('model')
    parser.add_argument('files', nargs='+', metavar='NAME.SOURCE-TARGET.tsv')
    parser.add_argument('--columns', type=parallel.direction, metavar='FIRST-SECOND', help='languages of all files')
    parser.add_argument('--pairs', type=int, default=250_000, help='to align')
    parser.add_argument('--best', type=int, default=40, help='candidates of a source piece')
    parser.add_argument('--frequent', type=int, default=128, help='target pieces for every sentence')
    args = parser.parse_args()

    with open(os.path.join(args.model, 'config.json'), encoding='utf-8') as file:
        config = json.load(file)
    pieces = sentencepiece.SentencePieceProcessor(model_file=os.path.join(args.model, 'vocab.spm'))
    size = pieces.get_piece_size()
    if size > 65536:
        sys.exit(f'shortlist.py: {size} pieces; the format has room for 65,536')
    try:
        text = [pair for path in args.files
                for pair in parallel.read(path, config['source_language'], config['target_language'], args.columns)]
    except parallel.LanguageError as error:
        sys.exit(f'shortlist.py: {error}')
    text = random.Random(1).sample(text, min(args.pairs, len(text)))
    source, target = (pieces.encode([pair[side] for pair in text]) for side in (0, 1))
    frequency = np.bincount(np.concatenate([np.array(t, np.int64) for t in target]), minlength=size)
    frequent = np.sort(np.argsort(-frequency, kind='stable')[:args.frequent]).astype(np.uint16)

    source_words, target_words = Words(pieces), Words(pieces)
    split = [(source_words.split(s), target_words.split(t)) for s, t in zip(source, target, strict=True)]
    short = [(s, t) for s, t in split if 0 < len(s) <= LONGEST and 0 < len(t) <= LONGEST]
    cells, count = align(*zip(*short, strict=True), len(target_words.numbers))
    counts, known = collections.Counter(), set(frequent.tolist())
    spelling = [list(words.numbers) for words in (source_words, target_words)]
    for cell, often in zip(cells[count >= LEAST].tolist(), count[count >= LEAST].tolist(), strict=True):
        s, t = divmod(cell, len(target_words.numbers))
        for pair in itertools.product(spelling[0][s], set(spelling[1][t]) - known):
            counts[pair] += often
    candidates = best_candidates(counts, size, args.best)

    path = os.path.join(args.model, 'model.safetensors')
    tensors, metadata = weight_file.read(path)
    tensors.update({'shortlist.candidates': candidates, 'shortlist.frequent': frequent})
    weight_file.write(path, tensors, metadata.get('format', 'pt'))
    print(f'{len(short):,} pairs aligned; {np.count_nonzero(candidates) / size:.1f} candidates a piece')


if __name__ == '__main__':
    main()
