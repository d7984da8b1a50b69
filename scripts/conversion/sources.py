"""What splits text for a foreign model: the files that a person names, turned into a model folder's."""
import yaml

import sentencepiece_file
import vocabulary
import word_pieces
from errors import ConversionError, require


def add_vocabulary(command):
    """The option --vocabulary of a command line."""
    command.add_argument('--vocabulary', nargs='+', metavar='SPM', help="SentencePiece model, or the source's and the target's; "
                         'none: pieces are whole words between blanks')


def add_codes(command):
    """The options of a command line for subword-nmt."""
    command.add_argument('--bpe-codes', nargs='+', metavar='CODES', help="of subword-nmt or fastBPE, or the source's and the "
                         "target's; words are split as by Moses")
    command.add_argument('--nonbreaking', metavar='FILE', help="Moses' nonbreaking_prefix.<source>; known for English")


def read_models(paths):
    """SentencePiece models of both sides from one path or two."""
    require(len(paths) <= 2, f'--vocabulary takes one file or two, not {len(paths)}')
    models = [sentencepiece_file.read(path) for path in paths]
    return models[0], models[-1]


def splitter(paths, codes=None, languages=None, prefixes=None):
    """What fairseq.convert calls with ids, Specials and whether an embedding is shared.

    paths: SentencePiece models; codes: of subword-nmt, then prefixes are the source's nonbreaking ones.
    """
    require(not (paths and codes), 'a model is split by --vocabulary or by --bpe-codes, not by both')
    if codes:
        return lambda *ids, special, shared: bpe_codes(codes, languages, prefixes, ids, special)
    if not paths:
        return word_lists
    models = read_models(paths)
    return lambda *ids, special, shared: vocabulary.pair(*models, *ids, special, shared)


def bpe_codes(paths, languages, prefixes, ids, special):
    """Vocabularies of subword-nmt, one for each language, since they split and join words by its rules."""
    require(len(paths) <= 2, f'--bpe-codes takes one file or two, not {len(paths)}')
    merges = [word_pieces.read_codes(path) for path in paths]
    files = {}
    for name, its_ids, its, codes, language, path in zip(
            ('source.spm', 'target.spm'), ids, special, (merges[0], merges[-1]), languages, (prefixes, None), strict=True):
        files[name] = word_pieces.encoded(its_ids, its, codes, language, word_pieces.nonbreaking(language, path))
    return files, []


def word_lists(source_ids, target_ids, special, shared):
    """Vocabularies of whole words."""
    if shared:
        return {'vocab.spm': vocabulary.words(source_ids, special[0]).encoded()}, []
    return {name: vocabulary.words(ids, its).encoded()
            for name, ids, its in zip(('source.spm', 'target.spm'), (source_ids, target_ids), special, strict=True)}, []


def read_yaml_ids(path):
    """{piece: number} of Marian's vocab.yml."""
    try:
        with open(path, encoding='utf-8') as file:      # all values as text: a piece may be "no" or "1"
            content = yaml.load(file, Loader=getattr(yaml, 'CBaseLoader', yaml.BaseLoader))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConversionError(f'{path} cannot be read: {error}') from None
    require(isinstance(content, dict) and all(isinstance(number, str) and number.isdecimal() for number in content.values()),
            f'{path} is no list of pieces and their numbers')
    ids = {piece: int(number) for piece, number in content.items()}
    vocabulary.check_ids(ids, path, '</s>', '<unk>')
    return ids
