"""Parallel text: reading, cleaning, removing duplicates, keeping test lines out, and everyday variation.

A pair is (English, German); a file of pairs has a line each, English TAB German.
"""
import random
import re
import unicodedata

SHORTEST_BANNED = 12    # letters and digits; "Thank you." may stand in a test set and be trained on all the same
LONGEST = 1000          # characters of a side
EMOJI = '😀 😂 👍 🎉 ❤️ 😢 🙏 🔥 😊 🤔 ✅ ⚠️ 🚀 ☕ 🌍 🐶 😉 👋 💡 🎂'.split()
UNWANTED = re.compile(r'[\x00-\x08\x0b-\x1f\x7f\ufffd]')
LETTER = re.compile(r'[^\W\d_]')


def read_pairs(path):
    """Every pair of a file, stripped; lines without two columns are left out."""
    with open(path, encoding='utf-8', errors='replace', newline='\n') as file:
        for line in file:
            columns = [unicodedata.normalize('NFC', column.strip()) for column in line.rstrip('\n').split('\t')]
            if len(columns) >= 2:
                yield columns[0], columns[1]


def write_pairs(path, pairs):
    """The inverse of read_pairs."""
    with open(path, 'w', encoding='utf-8') as file:
        file.writelines(f'{english}\t{german}\n' for english, german in pairs)


def skeleton(text):
    """What is left of a text for comparison: lower case, letters and digits only."""
    return re.sub(r'\W+', '', text.lower())


def is_clean(english, german):
    """Whether a pair looks like a sentence and its translation."""
    for side in (english, german):
        if not side or len(side) > LONGEST or UNWANTED.search(side) or not LETTER.search(side):
            return False
    if english == german and len(english.split()) > 3:      # left untranslated; short ones are names and numbers
        return False
    return max(len(english), len(german)) <= 3 * min(len(english), len(german)) + 20


class Cleaner:
    """Lets a pair pass once, if it is clean and neither side stands in a test set."""

    def __init__(self, test_sets):
        self.banned = {skeleton(side) for path in test_sets for pair in read_pairs(path) for side in pair}
        self.seen = set()
        self.dropped = {'unclean': 0, 'in a test set': 0, 'seen before': 0}

    def accepts(self, english, german):
        """Whether to train on this pair. Counts what it drops."""
        if not is_clean(english, german):
            self.dropped['unclean'] += 1
            return False
        bones = skeleton(english), skeleton(german)
        if any(len(bone) > SHORTEST_BANNED and bone in self.banned for bone in bones):
            self.dropped['in a test set'] += 1
            return False
        key = hash(bones)               # 8 bytes a pair in place of the text
        if key in self.seen:
            self.dropped['seen before'] += 1
            return False
        self.seen.add(key)
        return True


def vary(pairs, rng):
    """For about one pair in ten a second one, written as people write: capitals, no full stop, emoji, two sentences, quotes."""
    previous = None
    for english, german in pairs:
        draw, size = rng.random(), len(english)
        if draw < 0.012 and size < 160:
            yield english.upper(), german.upper()
        elif draw < 0.022 and size < 200:
            yield english.lower(), german
        elif draw < 0.040 and size < 120 and english[-1] in '.!' and german[-1] in '.!':
            yield english[:-1], german[:-1]
        elif draw < 0.050 and size < 120:
            emoji = rng.choice(EMOJI)
            yield f'{english} {emoji}', f'{german} {emoji}'
        elif draw < 0.100 and previous and size + len(previous[0]) < 260 and previous[0][-1] in '.!?':
            yield f'{previous[0]} {english}', f'{previous[1]} {german}'
        elif draw < 0.108 and size < 120:
            yield f'"{english}"', f'„{german}“'
        previous = english, german


def hold_out(pairs, count, seed=1):
    """Split a list into (the rest, `count` pairs taken evenly at random)."""
    chosen = set(random.Random(seed).sample(range(len(pairs)), count))
    return ([pair for i, pair in enumerate(pairs) if i not in chosen], [pairs[i] for i in sorted(chosen)])
