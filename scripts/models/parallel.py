"""Files of parallel text: a pair a line, two columns with a TAB between them. NAME.en-de.tsv has English, then German.

A file whose name does not say so, or whose columns stand in another order, is read with `stated`, (first, second).
"""
import argparse
import os
import re

TAG = r'[a-z]{2,3}(?:-[A-Z][a-z]{3})?(?:-(?:[A-Z]{2}|[0-9]{3}))?'       # BCP 47: language, script, region
DIRECTION = re.compile(f'({TAG})-({TAG})')


class LanguageError(Exception):
    """A file whose languages are not known, or not those that are wanted; the message is for a person."""


def direction(text):
    """'en-de' -> ('en', 'de'); a type for argparse."""
    match = DIRECTION.fullmatch(text)
    if not match or match[1] == match[2]:
        raise argparse.ArgumentTypeError(f'{text} is not two languages such as en-de')
    return match.groups()


def columns(path, stated=None):
    """The languages (first, second) of a file's columns: as stated, else as its name says."""
    match = DIRECTION.fullmatch(os.path.basename(path).removesuffix('.tsv').rpartition('.')[2])
    if not stated and not match:
        raise LanguageError(f'{path}: which languages? Name it NAME.SOURCE-TARGET.tsv, or give --columns')
    return stated or match.groups()


def order(path, source, target, stated=None):
    """Which column of a file is the source and which the target: (0, 1) or (1, 0)."""
    found = columns(path, stated)
    if {source, target} != set(found):
        raise LanguageError(f'{path} has {found[0]} and {found[1]}, not {source} and {target}')
    return found.index(source), found.index(target)


def read(path, source, target, stated=None):
    """Every (source, target) of a file; lines without two columns are left out."""
    sides = order(path, source, target, stated)
    with open(path, encoding='utf-8', errors='replace', newline='\n') as file:
        for line in file:
            cells = line.rstrip('\n').split('\t')
            if len(cells) >= 2:
                yield cells[sides[0]], cells[sides[1]]
