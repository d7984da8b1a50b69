#!/usr/bin/python3
"""The reader of torch.save's files: everything that tensors may be, nothing that runs."""
import argparse
import contextlib
import os
import pickle
import unittest
import zipfile

import numpy as np
import torch
from support import ConversionTest

import torch_file
from errors import ConversionError

FORMATS = {'archive': True, 'legacy': False}


class Trap:
    """Leaves a file behind when it is loaded."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (self.path,)


class TorchFile(ConversionTest):

    def save(self, content, kind):
        """The path of a file of torch.save."""
        torch.save(content, self.path(kind), _use_new_zipfile_serialization=FORMATS[kind])
        return self.path(kind)

    def test_tensors_of_every_type_and_layout(self):
        numbers = torch.randn(6, 4, generator=torch.Generator().manual_seed(1))
        tensors = {
            'float': numbers, 'double': numbers.double(), 'half': numbers.half(), 'bfloat16': numbers.bfloat16(),
            'long': torch.arange(5), 'int': torch.arange(5).int(), 'short': torch.arange(5).short(),
            'char': torch.arange(5).char(), 'byte': torch.arange(5).byte(), 'bool': torch.arange(5) > 2,
            'view': numbers[2:5, 1], 'transposed': numbers.t(),
            'scalar': torch.tensor(7.5), 'empty': torch.zeros(0, 3), 'parameter': torch.nn.Parameter(numbers),
        }
        for kind in FORMATS:
            with self.subTest(kind):
                found = torch_file.arrays(torch_file.read(self.save(tensors, kind)), kind)
                self.assertEqual(list(found), list(tensors))
                for name, tensor in tensors.items():
                    real = tensor.detach()
                    real = real.float() if name == 'bfloat16' else real
                    self.assertEqual(found[name].dtype, real.numpy().dtype, name)
                    np.testing.assert_array_equal(found[name], real.numpy(), name)

    def test_containers(self):
        module = torch.nn.Linear(2, 3)
        content = {'best': np.float32(2), 'model': module.state_dict(), 'cfg': None,
                   'args': argparse.Namespace(arch='transformer', betas=(0.9, 0.98)),
                   'size': torch.Size([2, 3]), 'history': [{'loss': 1.5, 'name': 'ü', 'flag': True, 'set': {1, 2}}]}
        for kind in FORMATS:
            with self.subTest(kind):
                found = torch_file.read(self.save(content, kind))
                np.testing.assert_array_equal(found['model']['weight'].array(), module.weight.detach().numpy())
                self.assertIn('best', found)
                for name in ('args', 'cfg', 'history'):
                    self.assertEqual(found[name], content[name])
                self.assertEqual(found['size'], (2, 3))

    def test_what_runs_code_is_refused_by_name(self):
        for kind in FORMATS:
            with self.subTest(kind):
                path = self.save({'model': {}, 'trap': Trap(self.path('trap'))}, kind)
                with self.assertRaisesRegex(ConversionError, 'holds posix.mkdir, which is neither a tensor .* --trust-pickle'):
                    torch_file.read(path)
                self.assertFalse(os.path.exists(self.path('trap')))
        # Names that are known, reached through others.
        head = b''.join(pickle.dumps(part, 2) for part in (torch_file.MAGIC, torch_file.PROTOCOL, {}))
        for attack in (b"c__builtin__\neval\n(S'1'\ntR.", b'ccollections\nOrderedDict.__init__\n.',
                       b'ctorch._utils\n_rebuild_xla_tensor\n.'):
            path = self.write('attack', head + attack)
            with self.assertRaisesRegex(ConversionError, 'which is neither a tensor'):
                torch_file.read(path)

    def test_trust_runs_it(self):
        path = self.save({'model': {'w': torch.arange(3).bfloat16()}, 'trap': Trap(self.path('trap'))}, 'archive')
        found = torch_file.read(path, trust=True)
        self.assertTrue(os.path.exists(self.path('trap')))
        np.testing.assert_array_equal(found['model']['w'].array(), [0, 1, 2])

    def test_tensors_outside_their_numbers_are_refused(self):
        storage = torch_file.Storage('<f4', 6)
        for offset, shape, strides in ((0, (7,), (1,)), (1, (6,), (1,)), (0, (2, 3), (4, 1)), (0, (1 << 40,), (0,)),
                                       (-1, (2,), (1,)), (0, (2,), (-1,)), (0, (2.0,), (1,)), (0, (2,), ())):
            with self.assertRaises(ConversionError, msg=(offset, shape, strides)):
                torch_file.Tensor(storage, offset, shape, strides)

    def test_damaged_files(self):
        for kind in FORMATS:
            with open(self.save({'w': torch.arange(400.0)}, kind), 'rb') as file:
                data = file.read()
            for size in (0, 1, 20, len(data) // 2, len(data) - 30):
                with self.subTest(kind, size=size), self.assertRaises(ConversionError):
                    torch_file.arrays(torch_file.read(self.write('damaged', data[:size])), 'damaged')
        rng = np.random.default_rng(1)
        for _ in range(300):            # whatever it is: read, or refused
            bent = np.frombuffer(data, np.uint8).copy()
            bent[rng.integers(0, 400, 3)] = rng.integers(0, 256, 3)
            path = self.write('bent', bent.tobytes())
            with contextlib.suppress(ConversionError):
                torch_file.read(path)
        with zipfile.ZipFile(self.path('packed'), 'w', zipfile.ZIP_DEFLATED) as archive:
            archive.writestr('a/data.pkl', pickle.dumps({'w': 'x' * 1000}))
        with self.assertRaisesRegex(ConversionError, 'packed member a/data.pkl'):
            torch_file.read(self.path('packed'))


if __name__ == '__main__':
    unittest.main()
