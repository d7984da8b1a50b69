"""Vocabularies of other tools as files that the core reads: SentencePiece models whose ids are the model's.

A model may number pieces in a way of its own (OPUS-MT's vocab.json, fairseq's dict.txt), in which the pieces of two SentencePiece
models, one a side, share one list of ids. Each side becomes a SentencePiece model over the whole list:
- the side's own pieces have its scores and types, so that it splits text as before;
- what only the other side has is out of reach of splitting, but is written where the model chooses it;
- a piece of the source's that the list does not know is read as the unknown piece, as the tool does it: it gets a row of its own
  behind the others, with the unknown's embedding, which the output never chooses.
"""
import dataclasses
import json

import numpy as np

import folder
import sentencepiece_file
from errors import ConversionError, require
from sentencepiece_file import BLANK, BPE, BYTE, CHARACTER, CONTROL, NORMAL, UNIGRAM, UNKNOWN, UNUSED, USER_DEFINED, WORD, Piece

SPLITS = {NORMAL, USER_DEFINED, BYTE}       # types of pieces that a text may be split into


def hole(number):
    """The text of an id that no piece has."""
    return f'<no piece {number}>'


def check_ids(ids, path, eos, unknown):
    """That {piece: id} has one piece an id, and the two that every model needs."""
    require(isinstance(ids, dict) and ids and all(type(i) is int and 0 <= i < 1 << 20 for i in ids.values()),
            f'{path} is no list of pieces and their numbers')
    require(len(set(ids.values())) == len(ids), f'{path} has two pieces of one number')
    for piece in (eos, unknown):
        require(piece in ids, f'{path} lacks the piece {piece}')


def read_json(path):
    """What a JSON file holds."""
    try:
        with open(path, encoding='utf-8') as file:
            return json.load(file)
    except OSError as error:
        raise ConversionError(f'{path} cannot be read: {error.strerror}') from None
    except ValueError as error:
        raise ConversionError(f'{path} is no JSON: {error}') from None


def read_word_list(path):
    """{word: id} of a text file with a word a line, a count behind it or not."""
    ids = {}
    try:
        with open(path, encoding='utf-8') as file:
            for line in file:
                word = line.rstrip('\r\n').rsplit('\t', 1)[0]
                require(word and word not in ids, f'{path}: the word "{word}" is empty or there twice')
                ids[word] = len(ids)
    except (OSError, UnicodeDecodeError) as error:
        raise ConversionError(f'{path} cannot be read: {error}') from None
    return ids


def unlisted(own, ids):
    """The pieces that a SentencePiece model splits text into and {piece: id} does not know."""
    return [piece for piece in own.pieces if piece.type in SPLITS and piece.text not in ids]


def renumbered(own, ids, special, extra, foreign):
    """The SentencePiece model `own` with the numbers of `ids`, and behind them the pieces of `extra`.

    foreign: the type of pieces that `own` has not. CONTROL ones are neither found nor written; UNUSED ones are written.
    """
    require(own.model_type in {UNIGRAM, BPE}, 'a SentencePiece model must be unigram or BPE to be numbered anew')
    known = {piece.text: piece for piece in own.pieces}
    lowest = min((piece.score for piece in own.pieces if piece.type == NORMAL), default=0.0)
    texts = {number: text for text, number in ids.items()}

    def piece(number):
        text = texts.get(number, hole(number))
        if text == special.unknown:
            return Piece(text, 0.0, UNKNOWN)
        if text in special.silent or number not in texts or text in {own.unknown, own.eos}:
            return Piece(text, 0.0, CONTROL)
        # BPE looks characters up whatever their pieces are, and stops at one that it must not find.
        kind = NORMAL if len(text) == 1 and own.model_type == BPE else foreign
        return known.get(text, Piece(text, lowest - 1, kind))
    pieces = [piece(number) for number in range(special.count(ids))]
    return own.with_pieces(pieces + list(extra), special.unknown, special.eos)


@dataclasses.dataclass(frozen=True)
class Special:
    """Pieces that stand for no text. rows: of the embedding table, if there may be more than pieces."""

    eos: str
    unknown: str
    others: tuple = ()
    rows: int = 0

    @property
    def silent(self):
        """All but the unknown one."""
        return {self.eos, *self.others}

    def count(self, ids):
        """How many numbers there are, those without a piece included."""
        return max(self.rows, max(ids.values()) + 1)


def pair(source, target, source_ids, target_ids, special, shared):
    """({file name: bytes}, pieces of the source that its ids lack) of two SentencePiece models, each with its ids.

    special: one for each side; shared: the model has one embedding for both sides.
    """
    extra = unlisted(source, source_ids)
    if source == target and shared:
        return {'vocab.spm': renumbered(source, source_ids, special[0], extra, UNUSED).encoded()}, extra
    behind = [Piece(hole(special[1].count(target_ids) + i), 0.0, CONTROL) for i in range(len(extra) if shared else 0)]
    return {'source.spm': renumbered(source, source_ids, special[0], extra, CONTROL).encoded(),
            'target.spm': renumbered(target, target_ids, special[1], behind, UNUSED).encoded()}, extra


def add_rows(config, tensors, count, unknown):
    """Behind the embeddings, `count` times that of the unknown piece; the output never chooses one."""
    shared = config['share_encoder_decoder_embeddings']
    table = 'model.shared.weight' if shared else 'model.encoder.embed_tokens.weight'
    tensors[table] = folder.with_more_rows(tensors[table], count, tensors[table][unknown])
    config['vocab_size'] += count
    if shared and count > 0:
        ban(config, tensors, [])
        tensors['final_logits_bias'] = folder.with_more_rows(tensors['final_logits_bias'], count, -folder.LARGEST_WEIGHT)
        if 'lm_head.weight' in tensors:
            tensors['lm_head.weight'] = folder.with_more_rows(tensors['lm_head.weight'], count, 0.0)


def ban(config, tensors, pieces):
    """Keep the output from choosing some pieces."""
    if not config.get('output_bias', True):
        size = config.get('decoder_vocab_size', config['vocab_size'])
        config['output_bias'], tensors['final_logits_bias'] = True, np.zeros(size, np.float32)
    tensors['final_logits_bias'][pieces] = -folder.LARGEST_WEIGHT


def listed(ids, special, written):
    """Pieces of a plain list; written: from a text of the list to what SentencePiece calls it."""
    texts = {number: text for text, number in ids.items()}

    def piece(number):
        text = texts.get(number, hole(number))
        if text == special.unknown:
            return Piece(text, 0.0, UNKNOWN)
        if text in special.silent or number not in texts:
            return Piece(text, 0.0, CONTROL)
        return Piece(written(text), 0.0, NORMAL)
    require(special.unknown in ids, f'the list of pieces lacks {special.unknown}, for what no other is made for')
    return [piece(number) for number in range(special.count(ids))]


def words(ids, special):
    """A vocabulary of whole words between blanks."""
    return sentencepiece_file.plain(WORD, listed(ids, special, lambda text: BLANK + text), special.unknown, special.eos)


def characters(ids, special):
    """A vocabulary of single characters, blanks among them."""
    pieces = listed(ids, special, lambda text: text.replace(' ', BLANK))
    wrong = [piece.text for piece in pieces if piece.type == NORMAL and len(piece.text) != 1]
    require(not wrong, f'the list of characters has "{(wrong or [0])[0]}"')
    return sentencepiece_file.plain(CHARACTER, pieces, special.unknown, special.eos)
