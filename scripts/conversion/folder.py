"""Model folders as the core reads them, written by every converter."""
import json
import os
import zipfile

import numpy as np

import weight_file
from errors import ConversionError, require
from tensors import shapes as tensor_shapes

LARGEST_WEIGHT = 1e4        # that the core takes for a trained model's


class TensorReader:
    """Hands out the tensors of a foreign file, each once; what is left at the end is refused by name."""

    def __init__(self, tensors, path):
        """tensors: {name: array}"""
        self.tensors, self.path = dict(tensors), path

    def __contains__(self, name):
        return name in self.tensors

    def names(self, prefix=''):
        """Of the tensors that are left and begin so."""
        return [name for name in self.tensors if name.startswith(prefix)]

    def take(self, name, shape=None):
        """The tensor, F32; `shape`: what it must have."""
        require(name in self.tensors, f'{self.path} lacks the tensor {name}')
        array = self.tensors.pop(name)
        require(array.dtype.kind == 'f', f'{self.path}: tensor {name} is of type {array.dtype}, not of a float type')
        require(shape is None or array.shape == tuple(shape),
                f'{self.path}: tensor {name} has shape {list(array.shape)}, not {list(shape or [])}')
        array = array.astype(np.float32)
        require(bool((np.abs(array) <= LARGEST_WEIGHT).all()),      # false for NaN, too
                f'{self.path}: tensor {name} holds values that no trained model has')
        return array

    def drop(self, *names):
        """Pass over tensors, if they are there."""
        for name in names:
            self.tensors.pop(name, None)

    def expect_same(self, name, array):
        """That a copy of a tensor, if it is there, is one."""
        if name in self.tensors:
            copy = self.take(name)
            require(copy.shape == array.shape and np.array_equal(copy, array),
                    f'{self.path}: tensor {name} differs from the one that the configuration says it is tied to')

    def expect_empty(self):
        """That nothing is left that the converter does not know."""
        left = sorted(self.tensors)
        require(not left, f'{self.path} has {len(left)} tensors that this converter does not know: {", ".join(left[:5])}'
                + (', ...' if left[5:] else ''))


def read_npz(path):
    """{name: array} of numpy's archive; pickled objects in it are refused."""
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (OSError, ValueError, EOFError, KeyError, AttributeError, zipfile.BadZipFile) as error:
        raise ConversionError(f'{path} cannot be read: {error}') from None


def read_safetensors(path):
    """{name: array}"""
    try:
        return weight_file.read(path)[0]
    except OSError as error:
        raise ConversionError(f'{path} cannot be read: {error.strerror}') from None
    except weight_file.WeightFileError as error:
        raise ConversionError(str(error)) from None


def with_more_rows(array, count, row):
    """array [V, ...] and `count` times `row` behind it."""
    return np.concatenate([array, np.broadcast_to(row, (count, *array.shape[1:])).astype(array.dtype)])


def write(folder, config, tensors, vocabularies):
    """Write a model folder; `vocabularies`: bytes by file name. The weights come last, so a folder that has them is whole."""
    shapes = tensor_shapes(config)
    for name in sorted(shapes.keys() | tensors.keys()):
        found = list(tensors[name].shape) if name in tensors else 'missing'
        require(name in shapes, f'there is a tensor {name} {found}, which a model of this configuration has not')
        require(found == list(shapes[name]), f'the tensor {name} is {found}, not {list(shapes[name])} as in this configuration')
    os.makedirs(folder, exist_ok=True)
    for name, data in vocabularies.items():
        with open(os.path.join(folder, name), 'wb') as file:
            file.write(data)
    with open(os.path.join(folder, 'config.json'), 'w', encoding='utf-8') as file:
        json.dump(config, file, indent=1, ensure_ascii=False)
        file.write('\n')
    weight_file.write(os.path.join(folder, 'model.safetensors'), tensors, 'pt')
