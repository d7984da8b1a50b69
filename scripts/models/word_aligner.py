"""A statistical word aligner: fast_align's model (Dyer, Chahuneau and Smith 2013), IBM model 2 with the diagonal favoured.

Word j of T comes from word i of S with p(i | j) ~ exp(-TENSION |i / S - j / T|), from nothing with NULL. EM with a Dirichlet
prior on the word translations, in both directions. It knows nothing of the network whose attention it is to judge.
"""
import re

import numpy as np

NULL = 0.08
TENSION = 4.0
PRIOR = 0.01            # fast_align's: few translations a word
ITERATIONS = 5
# What src/text/annotated_text.h calls a word, near enough.
WORD = re.compile(r"\w+(?:[-.'’‐‑]\w+|[,:]\d+)*|[^\w\s]")


def words(text):
    """[(begin, end)] of the words of a text, in characters."""
    return [match.span() for match in WORD.finditer(text)]


def number(sentences):
    """Lists of words -> lists of numbers from 1 on, the same for upper and lower case; 0 is for the null word."""
    known = {}
    return [[known.setdefault(word.lower(), len(known) + 1) for word in sentence] for sentence in sentences], len(known) + 1


def digamma(x):
    """Good to 1e-4 for x >= 0.01."""
    shifted = x + 6
    series = np.log(shifted) - 1 / (2 * shifted) - 1 / (12 * shifted ** 2) + 1 / (120 * shifted ** 4)
    return series - sum(1 / (x + k) for k in range(6))


def prior_of_places(source, target):
    """[S + 1, T]: how likely target word j comes from each source word; the last row is the null word's."""
    i, j = (np.arange(source) + 0.5) / source, (np.arange(target) + 0.5) / target
    near = np.exp(-TENSION * np.abs(i[:, None] - j[None, :]))
    return np.concatenate([(1 - NULL) * near / near.sum(0), np.full((1, target), NULL)])


def align_one_way(source, target):
    """For each pair of lists of words: for each target word the index of the likeliest source word, -1 for none."""
    source, _ = number(source)
    target, targets = number(target)
    cells = np.concatenate([(np.array(s + [0])[:, None] * targets + np.array(t)).ravel()
                            for s, t in zip(source, target, strict=True)])
    places = np.concatenate([prior_of_places(len(s), len(t)).ravel() for s, t in zip(source, target, strict=True)])
    slots, slot = [], 0                         # the target position that a cell shares
    for s, t in zip(source, target, strict=True):
        slots.append(np.tile(np.arange(slot, slot + len(t)), len(s) + 1))
        slot += len(t)
    slots = np.concatenate(slots)
    cells, where = np.unique(cells, return_inverse=True)
    given = cells // targets
    p = np.ones(len(cells))
    for iteration in range(ITERATIONS + 1):
        weight = p[where] * places
        if iteration == ITERATIONS:
            break
        weight /= np.bincount(slots, weight, slot)[slots]
        count = np.bincount(where, weight, len(cells)) + PRIOR
        p = np.exp(digamma(count) - digamma(np.bincount(given, count)[given]))
    best, at = [], 0
    for s, t in zip(source, target, strict=True):
        size = (len(s) + 1) * len(t)
        likeliest = weight[at:at + size].reshape(len(s) + 1, len(t)).argmax(0)
        best.append(np.where(likeliest == len(s), -1, likeliest))
        at += size
    return best


def align(source, target):
    """Lists of words, pair by pair -> [(sure, possible)]: links (i, j) that both directions find, and that either does."""
    forward, backward = align_one_way(source, target), align_one_way(target, source)
    found = []
    for to_target, to_source in zip(forward, backward, strict=True):
        one = {(int(i), j) for j, i in enumerate(to_target) if i >= 0}
        other = {(i, int(j)) for i, j in enumerate(to_source) if j >= 0}
        found.append((one & other, one | other))
    return found
