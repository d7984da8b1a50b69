"""What the tests of the converters have in common."""
import importlib.machinery
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..')
DATA = os.path.join(ROOT, 'tests/data')
CORE = os.path.join(ROOT, 'build/native/dragoman')
sys.dont_write_bytecode = True
sys.path[1:1] = [os.path.join(ROOT, 'scripts', folder) for folder in ('conversion', 'models')]


class ConversionTest(unittest.TestCase):
    """Has a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, *names):
        """Of a file in the test's folder."""
        return os.path.join(self.folder, *names)

    def write(self, name, content):
        """The path of a new file: bytes or text, anything else as JSON."""
        if not isinstance(content, (bytes, str)):
            content = json.dumps(content, ensure_ascii=False)
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), 'wb') as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return self.path(name)

    def convert(self, kind, files, *options):
        """Run scripts/convert; its output folder."""
        self.assertEqual(run_convert(kind, *files, self.path('out'), *options), (0, ''))
        return self.path('out')

    def refused(self, kind, files, *options):
        """Run scripts/convert in vain; what it says."""
        status, said = run_convert(kind, *files, self.path('refused'), *options)
        self.assertTrue(status == 1 and said.startswith('convert: '), said)
        self.assertFalse(os.path.exists(self.path('refused')))
        return said[len('convert: '):]


def load_script(name):
    """A command of scripts/ as a module."""
    loader = importlib.machinery.SourceFileLoader(name, os.path.join(ROOT, 'scripts', name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


CONVERT = load_script('convert')


def run_convert(*arguments):
    """(exit status, message) of scripts/convert, run here."""
    with unittest.mock.patch.object(sys, 'argv', ['convert', *arguments]):
        try:
            CONVERT.main()
        except SystemExit as end:
            return (1, end.code) if isinstance(end.code, str) else (end.code, '')
    return 0, ''


def definition(folder, texts):
    """What the definition makes of texts."""
    import reference
    model, (source, target) = reference.Model(folder), reference.load_vocabularies(folder)
    found = [target.decode(model.greedy([*source.encode(text), model.eos])) for text in texts]
    return [plain(text) for text in found]


def plain(text):
    """Without what random bytes become: control characters, which the core never writes, and signs for ill-formed UTF-8."""
    return re.sub(r'[\x00-\x1f]', ' ', text).replace('\ufffd', '')


def translate(folder, texts, *options):
    """What the core makes of texts, one a line."""
    done = subprocess.run([CORE, 'translate', '--model', folder, *options], input='\n'.join(texts) + '\n', capture_output=True,
                          text=True, check=True)
    return done.stdout.splitlines()
