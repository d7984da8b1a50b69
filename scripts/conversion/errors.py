"""What every part of a conversion may raise."""


class ConversionError(Exception):
    """A model that cannot be converted; the message says why, for a person."""


def require(holds, *message):
    """Raise unless it holds; `message`: parts of one sentence."""
    if not holds:
        raise ConversionError(''.join(str(part) for part in message))
