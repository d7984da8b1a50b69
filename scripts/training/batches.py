"""Batches of one source length from what prepare.py wrote, made ahead of need in a thread."""
import queue
import threading

import numpy as np
import torch

import parallel

EOS, PADDING = 0, -1


class Corpus:
    """The ids of all pairs; `source`: the language to translate from, where it is not the first of the file's two."""

    def __init__(self, path, longest, source=''):
        with np.load(path) as data:
            lengths, self.ids, self.repeats = data['lengths'].astype(np.int64), data['ids'], data['repeats']
            languages = data['languages'].tolist()
        ends = np.cumsum(lengths.sum(1))
        starts = np.stack([ends - lengths.sum(1), ends - lengths[:, 1]], 1)
        keep = lengths.max(1) < longest
        lengths, starts, self.repeats = lengths[keep], starts[keep], self.repeats[keep]
        if source and source not in languages:
            raise parallel.LanguageError(f'{path} has {" and ".join(languages)}, not {source}')
        first, second = (1, 0) if source == languages[1] else (0, 1)
        self.languages = languages[first], languages[second]
        self.source = starts[:, first], lengths[:, first]
        self.target = starts[:, second], lengths[:, second]
        self.late = False               # which column of `repeats` an epoch follows

    def epoch(self, tokens, rng):
        """Lists of pair numbers: one source length each, at most about `tokens` ids on either side, in random order."""
        order = np.repeat(np.arange(len(self.repeats)), self.repeats[:, int(self.late)])
        rng.shuffle(order)
        source, target = self.source[1] + 1, self.target[1] + 1     # with eos
        order = order[np.lexsort((target[order], source[order]))]
        batches = []
        for group in np.split(order, np.flatnonzero(np.diff(source[order])) + 1):
            start = 0
            while start < len(group):
                stop = start + max(1, tokens // source[group[0]])
                while stop > start + 1 and target[group[start:stop]].max() * len(group[start:stop]) > tokens:
                    stop = start + max(1, int((stop - start) * 0.9))
                batches.append(group[start:stop])
                start = stop
        rng.shuffle(batches)
        return batches

    def rows(self, side, numbers, fill):
        """ids int64 [B, L] of one side: the text, eos, then `fill`."""
        starts, lengths = side[0][numbers, None], side[1][numbers, None]
        column = np.arange(lengths.max() + 1)
        ids = self.ids[np.minimum(starts + column, len(self.ids) - 1)].astype(np.int64)
        return torch.from_numpy(np.where(column < lengths, ids, np.where(column == lengths, EOS, fill)))

    def batch(self, numbers):
        """(source [B, S], target [B, T] padded with PADDING)"""
        return self.rows(self.source, numbers, EOS), self.rows(self.target, numbers, PADDING)


def stream(corpus, tokens, seed, ahead=8):
    """Endless batches, gathered by a thread that stays `ahead` of the trainer; turns to late data when told."""
    ready, rng = queue.Queue(ahead), np.random.default_rng(seed)

    def work():
        while True:
            late = corpus.late
            for numbers in corpus.epoch(tokens, rng):
                if corpus.late != late:
                    break
                ready.put(corpus.batch(numbers))
    threading.Thread(target=work, daemon=True).start()
    while True:
        yield ready.get()
