"""Parallel text: reading, cleaning, removing duplicates, keeping test lines out, and everyday variation.

A pair is (first, second), text in the two languages that prepare.py was asked for.
"""
import random
import re
import unicodedata

import parallel

SHORTEST_BANNED = 12    # letters and digits; "Thank you." may stand in a test set and be trained on all the same
LONGEST = 1000          # characters of a side
EMOJI = '😀 😂 👍 🎉 ❤️ 😢 🙏 🔥 😊 🤔 ✅ ⚠️ 🚀 ☕ 🌍 🐶 😉 👋 💡 🎂'.split()
UNWANTED = re.compile(r'[\x00-\x08\x0b-\x1f\x7f\ufffd]')
LETTER = re.compile(r'[^\W\d_]')
# How a language quotes, where not "so".
QUOTES = {'de': ('„', '“'), 'fr': ('«\u00a0', '\u00a0»')}


def read_pairs(path, languages, stated=None):
    """Every pair of a file in the order of `languages`, stripped."""
    for pair in parallel.read(path, *languages, stated):
        yield tuple(unicodedata.normalize('NFC', side.strip()) for side in pair)


def write_pairs(path, pairs):
    """A line each."""
    with open(path, 'w', encoding='utf-8') as file:
        file.writelines(f'{first}\t{second}\n' for first, second in pairs)


def skeleton(text):
    """What is left of a text for comparison: lower case, letters and digits only."""
    return re.sub(r'\W+', '', text.lower())


def is_clean(first, second):
    """Whether a pair looks like a sentence and its translation."""
    for side in (first, second):
        if not side or len(side) > LONGEST or UNWANTED.search(side) or not LETTER.search(side):
            return False
    if first == second and len(first.split()) > 3:      # left untranslated; short ones are names and numbers
        return False
    return max(len(first), len(second)) <= 3 * min(len(first), len(second)) + 20


class Cleaner:
    """Lets a pair pass once, if it is clean and neither side stands in a test set."""

    def __init__(self, test_sets, languages, stated=None):
        self.banned = {skeleton(side) for path in test_sets for pair in read_pairs(path, languages, stated) for side in pair}
        self.seen = set()
        self.dropped = {'unclean': 0, 'in a test set': 0, 'seen before': 0}

    def accepts(self, first, second):
        """Whether to train on this pair. Counts what it drops."""
        if not is_clean(first, second):
            self.dropped['unclean'] += 1
            return False
        bones = skeleton(first), skeleton(second)
        if any(len(bone) > SHORTEST_BANNED and bone in self.banned for bone in bones):
            self.dropped['in a test set'] += 1
            return False
        key = hash(bones)               # 8 bytes a pair in place of the text
        if key in self.seen:
            self.dropped['seen before'] += 1
            return False
        self.seen.add(key)
        return True


def quoted(text, language):
    """The text between the language's quotation marks."""
    opening, closing = QUOTES.get(language, ('"', '"'))
    return f'{opening}{text}{closing}'


def vary(pairs, languages, rng):
    """For about one pair in ten a second one, written as people write: capitals, no full stop, emoji, two sentences, quotes."""
    previous = None
    for first, second in pairs:
        draw, size = rng.random(), len(first)
        if draw < 0.012 and size < 160:
            yield first.upper(), second.upper()
        elif draw < 0.022 and size < 200:
            yield first.lower(), second
        elif draw < 0.040 and size < 120 and first[-1] in '.!' and second[-1] in '.!':
            yield first[:-1], second[:-1]
        elif draw < 0.050 and size < 120:
            emoji = rng.choice(EMOJI)
            yield f'{first} {emoji}', f'{second} {emoji}'
        elif draw < 0.100 and previous and size + len(previous[0]) < 260 and previous[0][-1] in '.!?':
            yield f'{previous[0]} {first}', f'{previous[1]} {second}'
        elif draw < 0.108 and size < 120:
            yield quoted(first, languages[0]), quoted(second, languages[1])
        previous = first, second


def hold_out(pairs, count, seed=1):
    """Split a list into (the rest, `count` pairs taken evenly at random)."""
    chosen = set(random.Random(seed).sample(range(len(pairs)), count))
    return ([pair for i, pair in enumerate(pairs) if i not in chosen], [pairs[i] for i in sorted(chosen)])
