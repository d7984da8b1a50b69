"""Lexical shortlists in Marian's format (lex.*.s2t.bin, see src/io/marian_binary.h), by chance: for tests and races."""
import struct

import numpy as np


def combine_hashes(data):
    """Marian's checksum: Boost's hash_combine over 64-bit words."""
    seed, mask = 0, (1 << 64) - 1
    for (word,) in struct.iter_unpack('<Q', data[:len(data) // 8 * 8]):
        seed ^= (word + 0x9e3779b9 + (seed << 6) + (seed >> 2)) & mask
    return seed


def random_shortlist(seed, source_vocabulary, target_vocabulary, frequent=100, best=20, first=0):
    """The bytes of a file with up to `best` target pieces, none before `first`, for every source piece."""
    rng = np.random.default_rng(seed)
    lists = [first + np.sort(rng.choice(target_vocabulary - first, rng.integers(1, best + 1), replace=False))
             for _ in range(source_vocabulary)]
    offsets = np.concatenate([[0], np.cumsum([len(pieces) for pieces in lists])]).astype('<u8')
    pieces = np.concatenate(lists).astype('<u4')
    body = struct.pack('<4Q', frequent, best, len(offsets), len(pieces)) + offsets.tobytes() + pieces.tobytes()
    return struct.pack('<2Q', 0xf11a48d5013417f5, combine_hashes(body)) + body
