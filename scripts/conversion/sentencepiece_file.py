"""SentencePiece's model file: a protocol buffer of pieces (text, score, type), and how it was trained and normalises.

Only the pieces and a few numbers are looked at; the rest is handed on as it is.
"""
import dataclasses
import struct

from errors import ConversionError, require

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
UNIGRAM, BPE, WORD, CHARACTER = range(1, 5)
BLANK = '\u2581'
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5        # of the wire format
# Fields of ModelProto, of its SentencePiece, TrainerSpec and NormalizerSpec.
PIECES, TRAINER, NORMALIZER = 1, 2, 3
TEXT, SCORE, TYPE = 1, 2, 3
MODEL_TYPE, UNKNOWN_TEXT, EOS_TEXT = 3, 45, 47
ADD_DUMMY_PREFIX, REMOVE_EXTRA_WHITESPACES = 3, 4


def varint(number):
    """The bytes of a number, seven bits each."""
    out = bytearray()
    while number > 0x7f:
        out.append(number & 0x7f | 0x80)
        number >>= 7
    return bytes(out + bytes([number]))


def read_varint(data, at):
    """(number, where it ends)"""
    number = 0
    for shift in range(0, 70, 7):
        require(at < len(data), 'it ends in the middle of a number')
        number |= (data[at] & 0x7f) << shift
        at += 1
        if data[at - 1] < 0x80:
            return number, at
    raise ConversionError('it has a number of more than ten bytes')


def fields(data):
    """(number, kind, value) of each field; the value of kind BYTES is bytes, of FIXED32 and FIXED64 the bytes as they are."""
    at = 0
    while at < len(data):
        tag, at = read_varint(data, at)
        number, kind = tag >> 3, tag & 7
        require(kind in {VARINT, FIXED64, BYTES, FIXED32}, f'it has a field of the unknown kind {kind}')
        if kind == VARINT:
            value, at = read_varint(data, at)
        else:
            size = {FIXED64: 8, FIXED32: 4}.get(kind)
            if size is None:
                size, at = read_varint(data, at)
            require(at + size <= len(data), 'it ends in the middle of a field')
            value, at = data[at:at + size], at + size
        yield number, kind, value


def field(number, value):
    """The bytes of a field: `value` an int, bytes or text, or a float (32 bits)."""
    if isinstance(value, int):
        return varint(number << 3 | VARINT) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | FIXED32) + struct.pack('<f', value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | BYTES) + varint(len(value)) + value


@dataclasses.dataclass(frozen=True)
class Piece:
    """One of a vocabulary."""

    text: str
    score: float
    type: int

    def encoded(self):
        """As a field of the model."""
        return field(PIECES, field(TEXT, self.text) + field(SCORE, float(self.score)) + field(TYPE, self.type))


def decode_piece(data):
    """A Piece of a field's bytes."""
    text, score, kind = b'', 0.0, NORMAL
    for number, wire, value in fields(data):
        if (number, wire) == (TEXT, BYTES):
            text = value
        elif (number, wire) == (SCORE, FIXED32):
            (score,) = struct.unpack('<f', value)
        elif (number, wire) == (TYPE, VARINT):
            kind = value
    return Piece(text.decode('utf-8', 'strict'), score, kind)


@dataclasses.dataclass
class SentencePieceFile:
    """Pieces by their ids; `trainer` and `normalizer`: the bytes of what else is in the file."""

    pieces: list
    trainer: bytes
    normalizer: bytes

    @property
    def model_type(self):
        """UNIGRAM, BPE, WORD or CHARACTER."""
        return next((value for number, _, value in fields(self.trainer) if number == MODEL_TYPE), UNIGRAM)

    def special(self, kind, number, usual):
        """The text of the unknown piece, or of that which ends a sentence."""
        named = [value.decode() for at, wire, value in fields(self.trainer) if (at, wire) == (number, BYTES)]
        text = (named or [usual])[-1]
        require(any(piece.text == text and piece.type == kind for piece in self.pieces), f'it has no piece {text}')
        return text

    @property
    def unknown(self):
        """The text of the piece for what no other is made for."""
        return self.special(UNKNOWN, UNKNOWN_TEXT, '<unk>')

    @property
    def eos(self):
        """The text of the piece that ends a sentence."""
        return self.special(CONTROL, EOS_TEXT, '</s>')

    def with_pieces(self, pieces, unknown, eos):
        """The same model over other pieces, of which these two are the special ones."""
        named = field(UNKNOWN_TEXT, unknown) + field(EOS_TEXT, eos)     # the last of a field counts
        return SentencePieceFile(pieces, self.trainer + named, self.normalizer)

    def encoded(self):
        """The file's bytes."""
        return (b''.join(piece.encoded() for piece in self.pieces) + field(TRAINER, self.trainer)
                + field(NORMALIZER, self.normalizer))


def parse(data):
    """A SentencePieceFile of a file's bytes."""
    pieces, parts = [], {TRAINER: b'', NORMALIZER: b''}
    for number, kind, value in fields(data):
        if (number, kind) == (PIECES, BYTES):
            pieces.append(decode_piece(value))
        elif number in parts and kind == BYTES:
            parts[number] += value
    require(pieces, 'it has no pieces')
    return SentencePieceFile(pieces, parts[TRAINER], parts[NORMALIZER])


def read(path):
    """A SentencePieceFile of a file."""
    try:
        with open(path, 'rb') as file:
            return parse(file.read())
    except OSError as error:
        raise ConversionError(f'{path} cannot be read: {error.strerror}') from None
    except (ConversionError, UnicodeDecodeError) as error:
        raise ConversionError(f'{path} is no SentencePiece model: {error}') from None


def plain(model_type, pieces, unknown, eos):
    """A model of WORD or CHARACTER pieces that normalises nothing."""
    words = int(model_type == WORD)
    trainer = field(MODEL_TYPE, model_type) + field(UNKNOWN_TEXT, unknown) + field(EOS_TEXT, eos)
    normalizer = field(1, 'identity') + field(ADD_DUMMY_PREFIX, words) + field(REMOVE_EXTRA_WHITESPACES, words)
    return SentencePieceFile(pieces, trainer, normalizer)
