"""Reading and writing of `model.safetensors`, as our scripts use it (F32, F16, I8 and U16 tensors).

File: u64 little-endian header length, JSON header, data section. Every file that we write has its data section on a
multiple of 64 bytes, no holes, and `__metadata__.xxh64`: XXH64 (seed 0, 16 hex digits) of the whole data section.
"""
import json
import math
import struct

import numpy as np
import xxhash

DTYPES = {'F32': np.dtype('<f4'), 'F16': np.dtype('<f2'), 'I8': np.dtype('i1'), 'U16': np.dtype('<u2')}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
ALIGNMENT = 64          # bytes; the data section starts on a multiple of it


class WeightFileError(Exception):
    """A weight file that cannot be used; the message says why, for a person."""


def is_matrix(name, array):
    """Whether a tensor is the matrix of a product or an embedding: what int8 folders hold as integers."""
    return array.ndim == 2 and name.endswith('weight') and not name.endswith('embed_positions.weight')


def digest(data):
    """XXH64 (seed 0) of `data` as 16 hex digits."""
    return xxhash.xxh64(data, seed=0).hexdigest()


def read(path):
    """Return ({name: array, as stored}, metadata). Checks lengths, the absence of holes and, where present, xxh64."""
    with open(path, 'rb') as file:
        raw = file.read()
    if len(raw) < 8:
        raise WeightFileError(f'{path}: {len(raw)} bytes; a safetensors file has at least 8')
    (length,) = struct.unpack('<Q', raw[:8])
    if length > len(raw) - 8:
        raise WeightFileError(f'{path}: header of {length} bytes in a file of {len(raw)}')
    try:
        header = json.loads(raw[8:8 + length])
        metadata = header.pop('__metadata__', {})
        entries = sorted((*entry['data_offsets'], entry['dtype'], entry['shape'], name) for name, entry in header.items())
    except (ValueError, KeyError, TypeError, AttributeError):
        raise WeightFileError(f'{path}: the header is not that of a safetensors file') from None
    data = memoryview(raw)[8 + length:]
    tensors, end = {}, 0
    for start, stop, kind, shape, name in entries:
        if kind not in DTYPES:
            raise WeightFileError(f'{path}: {name} has type {kind}; known are {", ".join(DTYPES)}')
        dtype = DTYPES[kind]
        if start != end or stop - start != dtype.itemsize * math.prod(shape) or stop > len(data):
            raise WeightFileError(f'{path}: {name} {shape} does not fit its bytes {start}..{stop} of {len(data)}')
        tensors[name] = np.frombuffer(data[start:stop], dtype).reshape(shape)
        end = stop
    if end != len(data):
        raise WeightFileError(f'{path}: {len(data) - end} bytes after the last tensor')
    if 'xxh64' in metadata and metadata['xxh64'] != digest(data):
        raise WeightFileError(f'{path}: the data does not match its xxh64; the file is damaged')
    return tensors, metadata


def read_weights(path):
    """{name: float32 array} of a float or an int8 file: integers times their scales, biases flat (MarianMT has one of
    the logits as [1, V]). Of a shortlist nothing."""
    tensors, _ = read(path)
    weights = {}
    for name, array in tensors.items():
        if name.endswith('.weight_scale') or name.startswith('shortlist.'):
            continue
        scale = tensors.get(name + '_scale')
        real = array.astype(np.float32) if scale is None else array.astype(np.float32) * scale[:, None]
        weights[name] = real.reshape(-1) if name == 'final_logits_bias' else real
    return weights


def write(path, tensors, form):
    """Write {name: array} in the order given; `form` goes to `__metadata__.format`."""
    data = b''.join(np.ascontiguousarray(array).tobytes() for array in tensors.values())
    header = {'__metadata__': {'format': form, 'xxh64': digest(data)}}
    offset = 0
    for name, array in tensors.items():
        if offset % array.itemsize:     # no holes allowed, so the order has to keep every tensor on its own alignment
            raise WeightFileError(f'{path}: {name} would start at byte {offset}, no multiple of {array.itemsize}')
        header[name] = {'dtype': NAMES[array.dtype], 'shape': list(array.shape),
                        'data_offsets': [offset, offset + array.nbytes]}
        offset += array.nbytes
    text = json.dumps(header, separators=(',', ':')).encode()
    text += b' ' * (-(8 + len(text)) % ALIGNMENT)
    with open(path, 'wb') as file:
        file.write(struct.pack('<Q', len(text)) + text + data)
