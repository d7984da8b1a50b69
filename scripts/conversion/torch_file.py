"""Reading of what torch.save wrote (a zip archive, or the format before PyTorch 1.6) without running anything in it.

A pickle is a program: to load one is to run it. This reader knows tensors and plain containers, and names whatever else a
file asks for; only `trust=True` hands such a file to torch.load. Nothing here needs torch.
"""
import argparse
import collections
import io
import pickle
import struct
import zipfile

import numpy as np

from errors import ConversionError, require

MAGIC, PROTOCOL = 0x1950a86a20f9469cfc6c, 1001      # of the format before the zip archive
BFLOAT16 = 'bfloat16'
STORAGE_TYPES = {
    'FloatStorage': '<f4', 'DoubleStorage': '<f8', 'HalfStorage': '<f2', 'BFloat16Storage': BFLOAT16, 'LongStorage': '<i8',
    'IntStorage': '<i4', 'ShortStorage': '<i2', 'CharStorage': 'i1', 'ByteStorage': 'u1', 'BoolStorage': '?',
}


class Storage:
    """Numbers in a row that tensors are windows of; `data`, their bytes, comes behind the pickle."""

    def __init__(self, kind, count):
        self.kind, self.count, self.data = kind, count, None
        self.item_size = 2 if kind == BFLOAT16 else np.dtype(kind).itemsize


class Tensor:
    """A window of a storage; `array()` reads it."""

    def __init__(self, storage, offset, shape, strides):
        sizes = [offset, *shape, *strides]
        require(isinstance(storage, Storage) and len(shape) == len(strides) and all(type(n) is int and n >= 0 for n in sizes),
                'a tensor is described by what is no storage, shape and strides')
        self.storage, self.offset, self.shape, self.strides = storage, offset, tuple(shape), tuple(strides)
        last = offset + sum((n - 1) * stride for n, stride in zip(self.shape, self.strides, strict=True))
        require(0 in self.shape or (last < storage.count and np.prod(self.shape, dtype=object) <= storage.count),
                f'a tensor of shape {list(self.shape)} does not fit its {storage.count} numbers')

    def array(self):
        """A copy, bfloat16 as F32."""
        storage = self.storage
        require(storage.data is not None and len(storage.data) == storage.count * storage.item_size,
                f'the numbers of a tensor of shape {list(self.shape)} are missing')
        if storage.kind == BFLOAT16:
            flat = (np.frombuffer(storage.data, '<u2').astype('<u4') << 16).view('<f4')
        else:
            flat = np.frombuffer(storage.data, storage.kind)
        if 0 in self.shape:
            return np.zeros(self.shape, flat.dtype)
        steps = [stride * flat.itemsize for stride in self.strides]
        return np.lib.stride_tricks.as_strided(flat[self.offset:], self.shape, steps, writeable=False).copy()


def rebuild_tensor(storage, offset, shape, strides, *_):
    """torch._utils._rebuild_tensor_v2"""
    return Tensor(storage, offset, shape, strides)


def rebuild_parameter(tensor, *_):
    """torch._utils._rebuild_parameter"""
    return tensor


class Ignored:
    """In place of a number of numpy's, as a training run notes them: nothing here asks for it."""

    def __init__(self, *_):
        pass

    def __setstate__(self, state):
        pass


KNOWN = {
    ('__builtin__', 'set'): set,
    ('collections', 'OrderedDict'): collections.OrderedDict,
    ('argparse', 'Namespace'): argparse.Namespace,
    ('_codecs', 'encode'): Ignored,
    ('numpy', 'dtype'): Ignored,
    ('numpy.core.multiarray', 'scalar'): Ignored,
    ('torch', 'Size'): tuple,
    ('torch._utils', '_rebuild_tensor'): rebuild_tensor,
    ('torch._utils', '_rebuild_tensor_v2'): rebuild_tensor,
    ('torch._utils', '_rebuild_parameter'): rebuild_parameter,
    **{('torch', name): kind for name, kind in STORAGE_TYPES.items()},
}


class Unpickler(pickle._Unpickler):
    """Knows the names above and no others. The one in Python: C's takes memory as a damaged file tells it to."""

    def __init__(self, file):
        super().__init__(file, encoding='utf-8')
        self.storages = {}

    def find_class(self, module, name):
        """What a name of the file stands for."""
        require((module, name) in KNOWN, f'holds {module}.{name}, which is neither a tensor nor a plain container: to load it is '
                'to run code of the file. If you trust whoever made it, say --trust-pickle')
        return KNOWN[module, name]

    def persistent_load(self, identity):
        """A storage, by ('storage', type, key, place, count[, view])."""
        require(type(identity) is tuple and len(identity) in {5, 6} and identity[0] == 'storage', 'refers to what is no storage')
        _, kind, key, _, count, *view = identity
        require(kind in STORAGE_TYPES.values() and type(key) is str and type(count) is int and count >= 0 and not any(view),
                'describes a storage in an unknown way')
        storage = self.storages.setdefault(key, Storage(kind, count))
        require((storage.kind, storage.count) == (kind, count), f'describes the storage {key} in two ways')
        return storage


def unpickle(unpickler):
    """The next object. A damaged pickle may raise nearly anything."""
    try:
        return unpickler.load()
    except ConversionError:
        raise
    except Exception as error:
        raise ConversionError(f'is damaged: {error}') from None


def read_archive(path):
    """A zip archive: <name>/data.pkl, <name>/data/<key>."""
    with zipfile.ZipFile(path) as archive:
        members = {member.filename: member for member in archive.infolist()}
        pickles = [name for name in members if name.endswith('/data.pkl')]
        require(len(pickles) == 1, f'has {len(pickles)} members called data.pkl, not one')
        folder = pickles[0][:-len('data.pkl')]
        for member in members.values():     # torch.save never packs; what is packed may be far larger than the file
            require(member.file_size == member.compress_size, f'has the packed member {member.filename}')
        order = members.get(folder + 'byteorder')
        require(order is None or archive.read(order) == b'little', 'has its bytes in an order other than little-endian')
        unpickler = Unpickler(io.BytesIO(archive.read(pickles[0])))
        content = unpickle(unpickler)
        for key, storage in unpickler.storages.items():
            name = f'{folder}data/{key}'
            require(name in members, f'lacks the member {name}')
            storage.data = archive.read(name)
        return content


def read_legacy(file):
    """Four pickles (magic number, protocol, system, content), then the keys of the storages, then their bytes."""
    require(unpickle(Unpickler(file)) == MAGIC, 'was not written by torch.save')
    require(unpickle(Unpickler(file)) == PROTOCOL, 'is in a format of torch.save that is not known')
    system = unpickle(Unpickler(file))
    require(isinstance(system, dict) and system.get('little_endian', True), 'has its bytes in an order other than little-endian')
    unpickler = Unpickler(file)
    content = unpickle(unpickler)
    for key in unpickle(Unpickler(file)):
        require(key in unpickler.storages, f'has numbers of a storage {key} that nothing refers to')
        storage = unpickler.storages[key]
        head = file.read(8)
        require(len(head) == 8 and struct.unpack('<q', head)[0] == storage.count, f'ends before the numbers of storage {key}')
        storage.data = file.read(storage.count * storage.item_size)
    return content


def read_with_torch(path):
    """The same by torch.load, which runs the file."""
    import torch

    class Loaded(Tensor):
        """A tensor of torch's."""

        def __init__(self, tensor):
            self.tensor, self.shape = tensor, tuple(tensor.shape)

        def array(self):
            """A copy, bfloat16 as F32."""
            real = self.tensor.detach()
            return (real.float() if real.dtype == torch.bfloat16 else real).numpy().copy()

    def replaced(value):
        if isinstance(value, torch.Tensor):
            return Loaded(value)
        return {key: replaced(item) for key, item in value.items()} if isinstance(value, dict) else value
    return replaced(torch.load(path, map_location='cpu'))


def read(path, trust=False):
    """What torch.save was given: tensors as `Tensor`, the rest as it was. `trust`: run the file if it holds more than that."""
    try:
        if zipfile.is_zipfile(path):
            return read_archive(path)
        with open(path, 'rb') as file:
            return read_legacy(file)
    except ConversionError as error:
        if trust:
            return read_with_torch(path)
        raise ConversionError(f'{path} {error}') from None
    except (OSError, zipfile.BadZipFile, NotImplementedError) as error:
        raise ConversionError(f'{path} cannot be read: {error}') from None


def arrays(state, path):
    """{name: array} of a state dict."""
    require(isinstance(state, dict) and all(isinstance(name, str) for name in state), f'{path} holds no state dict')
    for name, value in state.items():
        require(isinstance(value, Tensor), f'{path}: {name} is no tensor')
    return {name: tensor.array() for name, tensor in state.items()}
