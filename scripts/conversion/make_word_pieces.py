#!/usr/bin/python3
"""Write tests/data/word-pieces.json: texts, their words by Moses' rules, their pieces by subword-nmt's, and the text again.

usage: make_word_pieces.py

The definition of src/text/moses.h and word_pieces.h: tokenizer.perl's and detokenizer.perl's substitutions, one after the other,
and byte pair encoding as it is defined, learned from the texts. Deterministic: a rerun changes nothing.
"""
import collections
import itertools
import json
import os
import re
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../models'))

import vocabulary
import word_pieces

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../tests/data/word-pieces.json')
ALPHA, NUMERAL = r'[^\W\d_]', r'\d'
MERGES = 150
TEXTS = {
    'en': [
        'This, is a sentence with weird » symbols … appearing everywhere ¿',
        "This ain't funny. It's actually hillarious, yet double Ls. | [] < > [ ] & You're gonna shake it off? Don't?",
        'Mr. Smith paid $1,234.56, i.e. a lot, on Jan. 5. See No. 7 and pp. 3-5 (U.S. only).',
        "The Jones' house is 'big' and the 1980's are over... or not",
        'He said: "Wait... what?!" and left;then - in 5,000 well-known steps - came back.',
        '  two   blanks\tand a tab  ', '', '5', 'A.', '3,5 ,5 5, a,b', 'naïve café – ﬁsh 🐱 end.', 'x@y.org #tag 50% a_b',
        "rock 'n' roll"],
    'fr': ["L'homme d'hier a dit : « Qu'est-ce que c'est ? » Oui !", "aujourd'hui, c'est l'été."],
    'de': ['Das ist „gut“, sagte er. Hans\' Haus kostet 3.000,50 €!', 'z.B. am 3. Mai usw. und so'],
    'el': ['Τι είναι αυτό; Καλημέρα, κόσμε!'],
}
ESCAPES = [('&', '&amp;'), ('|', '&#124;'), ('<', '&lt;'), ('>', '&gt;'), ("'", '&apos;'), ('"', '&quot;'), ('[', '&#91;'),
           (']', '&#93;')]


def split(text, language, prefixes):
    """tokenizer.perl -l language"""
    text = ' ' + re.sub(r'\s+', ' ', text) + ' '
    text = re.sub(r"([^\w\s.'`,\-]|_)", r' \1 ', text)
    text = re.sub(r'\.(\.+)', r' DOTMULTI\1', text)
    while 'DOTMULTI.' in text:
        text = re.sub(r'DOTMULTI\.([^.])', r'DOTDOTMULTI \1', text)
        text = text.replace('DOTMULTI.', 'DOTDOTMULTI')
    text = re.sub(r'(\D),', r'\1 , ', text)
    text = re.sub(r',(\D)', r' , \1', text)
    alone = [(r"([\W\d_])'([\W\d_])", r"\1 ' \2")]
    ends = [(rf"({ALPHA})'([\W\d_])", r"\1 ' \2")]
    rules = {'en': [*alone, (rf"([\W_])'({ALPHA})", r"\1 ' \2"), *ends, (rf"({ALPHA})'({ALPHA})", r"\1 '\2"),
                    (rf"({NUMERAL})'(s)", r"\1 '\2")],
             'fr': [*alone, (rf"([\W\d_])'({ALPHA})", r"\1 ' \2"), *ends, (rf"({ALPHA})'({ALPHA})", r"\1' \2")]}
    for pattern, replacement in rules.get(language, [("'", " ' ")]):
        text = re.sub(pattern, replacement, text)
    words, out = text.split(), []
    for i, word in enumerate(words):
        following = words[i + 1] if i + 1 < len(words) else ''
        if len(word) > 1 and word.endswith('.'):
            prefix = word[:-1]
            keeps = ('.' in prefix and re.search(ALPHA, prefix)) or prefix in prefixes or following[:1].islower() or (
                prefix + ' #' in prefixes and re.match(r'[0-9]', following))
            out += [word] if keeps else [prefix, '.']
        else:
            out.append(word)
    text = ' '.join(out)
    while 'DOTDOTMULTI' in text:
        text = text.replace('DOTDOTMULTI', 'DOTMULTI.')
    text = text.replace('DOTMULTI', '.')
    for plain, escaped in ESCAPES:
        text = text.replace(plain, escaped)
    return text.split()


def join(words, language):
    """detokenizer.perl -l language"""
    text, blank, quotes = '', ' ', collections.Counter()
    words = ' '.join(words)
    for plain, escaped in reversed(ESCAPES):
        words = words.replace(escaped, plain)
    words = words.split()
    for i, word in enumerate(words):
        if re.fullmatch(r'[$¢£¤¥€(\[{¿¡]+', word):
            text, blank = text + blank + word, ''
        elif re.fullmatch(r'[,.?!:;\\%}\])]+', word):
            text += (' ' if language == 'fr' and re.fullmatch(r'[?!:;\\%]', word) else '') + word
            blank = ' '
        elif language == 'en' and i > 0 and re.match(rf"'{ALPHA}", word):
            text, blank = text + word, ' '
        elif language == 'fr' and re.search(rf"{ALPHA}'$", word) and re.match(ALPHA, ''.join(words[i + 1:i + 2])):
            text, blank = text + blank + word, ''
        elif re.fullmatch(r'''['"„“”`]+''', word):
            kind = '"' if re.fullmatch(r'[„“”]+', word) else word
            if quotes[kind] % 2 == 0 and language == 'en' and word == "'" and i > 0 and words[i - 1].endswith('s'):
                text, blank = text + word, ' '
            elif quotes[kind] % 2 == 0:
                text, blank = text + blank + word, ''
                quotes[kind] += 1
            else:
                text, blank = text + word, ' '
                quotes[kind] += 1
        else:
            text, blank = text + blank + word, ' '
    return re.sub(r' +', ' ', text).strip()


def merge(parts, pair):
    """Every such pair in a word as one part."""
    out = []
    for part in parts:
        if out and (out[-1], part) == pair and not out[-1].startswith('\0'):
            out[-1] = '\0' + out[-1] + part         # joined just now: not again in this round
        else:
            out.append(part)
    return [part.lstrip('\0') for part in out]


def learn(words, count):
    """The most frequent pairs of parts, one after the other."""
    parts, merges = {word: [*word[:-1], word[-1] + '</w>'] for word in words}, []
    for _ in range(count):
        pairs = collections.Counter(pair for word, number in words.items()
                                    for pair in itertools.pairwise(parts[word]) for _ in range(number))
        if not pairs:
            break
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        merges.append(best)
        parts = {word: merge(its, best) for word, its in parts.items()}
    return merges


def encode(word, merges):
    """subword-nmt apply-bpe"""
    parts = [*word[:-1], word[-1] + '</w>']
    while True:
        pairs = [pair for pair in itertools.pairwise(parts) if pair in merges]
        if not pairs:
            break
        parts = merge(parts, min(pairs, key=merges.index))
    return [part + '@@' for part in parts[:-1]] + [parts[-1].removesuffix('</w>')]


def make(language):
    """One language's vocabulary and cases."""
    prefixes = word_pieces.nonbreaking(language, None)
    tokenised = [split(text, language, prefixes) for text in TEXTS[language]]
    merges = learn(collections.Counter(word for words in tokenised for word in words), MERGES if language == 'en' else 30)
    pieces = [[piece for word in words for piece in encode(word, merges)] for words in tokenised]
    known = sorted({piece for line in pieces for piece in line} - {'end', 'naïve'})
    ids = {piece: i for i, piece in enumerate(['<s>', '<pad>', '</s>', '<unk>', *known])}
    file = word_pieces.encoded(ids, vocabulary.Special('</s>', '<unk>', ('<s>', '<pad>'), len(ids) + 2),
                               [' '.join(pair) for pair in merges], language, prefixes)
    cases = [{'text': text, 'words': words, 'pieces': line, 'ids': [ids.get(piece, 3) for piece in line],
              'joined': join([word if all(piece in ids for piece in encode(word, merges)) else '⁇' for word in words], language)}
             for text, words, line in zip(TEXTS[language], tokenised, pieces, strict=True)]
    return {'language': language, 'vocabulary': file.decode(), 'cases': cases}


def main():
    content = {'made_by': 'scripts/conversion/make_word_pieces.py', 'languages': [make(language) for language in TEXTS]}
    with open(PATH, 'w', encoding='utf-8') as file:
        json.dump(content, file, ensure_ascii=False, indent=1)
        file.write('\n')


if __name__ == '__main__':
    main()
