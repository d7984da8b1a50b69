"""Faults of a translation that can be counted: numbers, names, negation, and text that was dropped.

Each check compares a translation with its reference and takes the side of the translation where both could be right. Negation
needs a list of words for the target language; without one it is not checked.
"""
import re

CHECKS = 'numbers', 'names', 'negation', 'length'
NUMBER = re.compile(r'\d+(?:[.,:]\d+)*')
NAME = re.compile(r'\b[^\W\d_]\w+\b')
# Words that say no, by language: those that any translation has to keep as a negation, and all that a translation may keep it as.
PLAIN_NEGATION = {
    'de': re.compile(r'\b(?:nicht|nie|niemals|niemand\w*|kein\w*|weder)\b', re.I),
    'en': re.compile(r"\b(?:not|never|nobody|none|neither|cannot)\b|n['’]t\b", re.I),
}
NEGATION = {
    'de': re.compile(r'\b(?:nicht|nichts|nie|niemals|niemand\w*|nirgends\w*|kein\w*|nein|nee|ohne|weder|kaum'
                     r'|un\w+|\w+los\w*)\b', re.I),
    'en': re.compile(r'\b(?:not|no|nope|never|nobody|none|nothing|nowhere|neither|nor|without|hardly|cannot'
                     r"|un\w+|in\w+|\w+less)\b|n['’]t\b", re.I),
}
SHORTEST, LONGEST = 0.6, 1.7    # of the reference's length, in letters
SHORT = 12                      # letters more or less that are no fault of a short text


def numbers(text):
    """Every number, sorted, without the marks that languages put differently: 3,140.5 and 3.140,5 are one."""
    return sorted(re.sub(r'\D', '', number) for number in NUMBER.findall(text))


def names(source, reference):
    """Words with a capital that stand alike in source and reference: what a translation copies."""
    in_reference = set(NAME.findall(reference))
    return {word for word in NAME.findall(source) if word[0].isupper() and len(word) > 2 and word in in_reference}


def is_negated_wrongly(reference, translation, target):
    """Whether one says no plainly and the other has nothing of the kind."""
    if target not in NEGATION:
        return False
    plain, any_kind = PLAIN_NEGATION[target], NEGATION[target]
    return any(plain.search(a) and not any_kind.search(b) for a, b in ((reference, translation), (translation, reference)))


def is_of_wrong_length(reference, translation):
    """Whether so much is missing, or there is so much more, that it cannot be all of the text and nothing else."""
    short, long = SHORTEST * len(reference) - SHORT, LONGEST * len(reference) + SHORT
    return not short <= len(translation) <= long


def count(sources, references, translations, target):
    """{name of the check: how many translations fail it}."""
    faults = dict.fromkeys(CHECKS, 0)
    for source, reference, translation in zip(sources, references, translations, strict=True):
        # A number that only one side of the pair writes in digits tells nothing.
        faults['numbers'] += numbers(source) == numbers(reference) != numbers(translation)
        faults['names'] += any(name.lower() not in translation.lower() for name in names(source, reference))
        faults['negation'] += is_negated_wrongly(reference, translation, target)
        faults['length'] += is_of_wrong_length(reference, translation)
    return faults
