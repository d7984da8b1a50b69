"""Vocabularies of subword-nmt or fastBPE behind Moses' tokeniser, as the core's src/text/word_pieces.h reads them.

A text file: a line for what it is, the language whose rules split and join words, whether "'" is written "&apos;", the
numbers of the end of a sentence and of the unknown piece, then pieces by their numbers (a blank before one that stands for no
text), merges by their rank, and the abbreviations behind which a full stop is none.
"""
import re

from errors import ConversionError, require

HEAD = 'dragoman word pieces 1'
CONTINUES = '@@'
LETTERS = [chr(c) for c in range(ord('A'), ord('Z') + 1)]
# What Moses has for English; for other languages: --nonbreaking.
ENGLISH = LETTERS + """
    Adj Adm Adv Asst Bart Bldg Brig Bros Capt Cmdr Col Comdr Con Corp Cpl DR Dr Drs Ens Gen Gov Hon Hr Hosp Insp Lt MM
    MR MRS MS Maj Messrs Mlle Mme Mr Mrs Ms Msgr Op Ord Pfc Ph Prof Pvt Rep Reps Res Rev Rt Sen Sens Sfc Sgt Sr St Supt
    Surg v vs i.e rev e.g
""".split()
ENGLISH_BEFORE_NUMBERS = 'No Nos Art Nr pp'.split()


def read_lines(path):
    """The lines of a text file."""
    try:
        with open(path, encoding='utf-8') as file:
            return file.read().split('\n')
    except (OSError, UnicodeDecodeError) as error:
        raise ConversionError(f'{path} cannot be read: {error}') from None


def read_codes(path):
    """["a b"] by rank, of codes of subword-nmt 0.2 and newer, or of fastBPE."""
    lines = [line.rstrip('\r') for line in read_lines(path) if line.strip()]
    require(lines, f'{path} is empty')
    if lines[0].startswith('#version:'):
        version = lines.pop(0).split(':')[1].strip()
        require(version == '0.2', f'{path} has codes of version {version}; known is 0.2, of subword-nmt since 2017')
    else:
        require(all(len(line.split(' ')) == 3 for line in lines), f'{path} has neither a "#version: 0.2" nor counts: codes of '
                'subword-nmt before 0.2 are not known')
    merges = []
    for line in lines:
        parts = line.split(' ')
        require(len(parts) in {2, 3} and all(parts), f'{path}: the line "{line[:80]}" is no pair of pieces')
        merges.append(' '.join(parts[:2]))
    return merges


def read_nonbreaking(path):
    """["Mr", "No #"] of a nonbreaking_prefix.<language> of Moses'."""
    found = []
    for line in read_lines(path):
        line = line.strip()
        if line and not line.startswith('#'):
            prefix = re.sub(r'\s*#NUMERIC_ONLY#.*$', '', line)
            found.append(prefix if prefix == line else prefix + ' #')
    return found


def nonbreaking(language, path):
    """Of a file of Moses', or what is known of a language."""
    if path:
        return read_nonbreaking(path)
    if language == 'en':
        return ENGLISH + [prefix + ' #' for prefix in ENGLISH_BEFORE_NUMBERS]
    return LETTERS


def encoded(ids, special, merges, language, prefixes):
    """The bytes of a vocabulary file; ids: {piece: number}, special: a vocabulary.Special."""
    count = special.count(ids)
    texts = {number: piece for piece, number in ids.items()}
    silent = special.silent | {special.unknown}
    lines = [texts[i] if i in texts and texts[i] not in silent else ' ' + texts.get(i, '') for i in range(count)]
    escaped = any('&' in piece and piece != '&' for piece in ids)       # Moses has no other words with it
    head = [HEAD, f'language {language}', f'escaped {int(escaped)}', f'eos {ids[special.eos]}', f'unknown {ids[special.unknown]}']
    parts = [(f'pieces {count}', lines), (f'merges {len(merges)}', merges), (f'nonbreaking {len(prefixes)}', prefixes)]
    text = '\n'.join([*head, *(line for title, content in parts for line in (title, *content))]) + '\n'
    return text.encode()
