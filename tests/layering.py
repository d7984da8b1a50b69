#!/usr/bin/python3
"""Fails if a file of src/ or web/ knows a layer that it must not know, or if anything but src/base includes Eigen.

src:  base <- kernels <- model <- engine <- bindings        kernels, engine <- cli
      base <- io <------ model    kernels <- search <- engine
      base <- text <----------- engine                        kernels <- bindings (to choose one)

web:  base <- models <- engine, markup <- api <- content <- top       top: the files directly in web/, whose places others know
      base <- api <- element <- top <- page    markup <- content     (entries, workers)
      base, markup <- files <- top <- node                    base, engine <- page (to know which build of it will run)
      engine <- same-thread
"""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOP = 'top'
SRC = {
    'base': set(),
    'kernels': {'base'},
    'io': {'base'},
    'text': {'base'},
    'model': {'base', 'kernels', 'io'},
    'search': {'base', 'kernels'},
    'engine': {'base', 'model', 'search', 'text'},
    'bindings': {'base', 'engine', 'kernels'},
    'cli': {'base', 'engine', 'kernels', 'model', 'text'},
}
# core and vendor are put there by scripts/site/site.mjs.
WEB = {
    'base': set(),
    'models': {'base'},
    'engine': {'base', 'models'},
    'markup': set(),
    'files': {'base', 'markup'},
    'api': {'base', 'models', 'engine', 'markup', 'vendor'},
    'content': {'base', 'api', 'markup'},
    'element': {'base', 'api'},
    TOP: {'base', 'engine', 'api', 'content', 'element', 'files', 'core'},
    'page': {TOP, 'base', 'engine'},
    'node': {TOP},
    'same-thread': {'engine', 'core'},
    'examples': set(),
    'icons': set(),
}


def includes(path, line):
    """The layer that a line of C++ names, and how."""
    include = re.match(r'\s*#\s*include\s*[<"]([^>"]+)', line)
    if include and include[1].split('/')[0] in SRC.keys() | {'Eigen'}:
        yield include[1].split('/')[0], include[1]


def imports(path, line):
    """The layers that a line of JavaScript names, also in the types of its comments."""
    for specifier in re.findall(r'''\b(?:from|import)\b[\s(]*['"](\.[^'"]*)''', line):
        yield layer_of(ROOT / 'web', os.path.normpath(path.parent / specifier)), specifier


def layer_of(house, path):
    parts = pathlib.Path(path).relative_to(house).parts
    return parts[0] if len(parts) > 1 else TOP


def violations(house, allowed, named, path, text):
    layer = layer_of(house, path)
    if layer not in allowed:
        yield f'{path}: {layer} is no layer of {house.name}/'
        return
    for number, line in enumerate(text.splitlines(), 1):
        for other, how in named(path, line):
            if other not in allowed[layer] | {layer} and (layer, other) != ('base', 'Eigen'):
                yield f'{path}:{number}: {layer} must not know {how}'


def violations_of(house, allowed, named, suffixes):
    for path in sorted(house.rglob('*')):
        if path.is_file():
            text = path.read_text() if path.suffix in suffixes else ''
            yield from violations(house, allowed, named, path, text)


def probe(house, allowed, named, path, text):
    return len(list(violations(house, allowed, named, house / path, text)))


def main():
    src, web = (ROOT / 'src', SRC, includes), (ROOT / 'web', WEB, imports)
    works = (
        probe(*src, 'kernels/probe.h', '#include "model/weights.h"\n#include <Eigen/Core>\n#include "base/error.h"\n') == 2
        and probe(*src, 'cellar/probe.h', '') == 1
        and probe(*web, 'models/probe.js', "import { a } from '../base/a.js';\nimport {\n  b,\n} from '../engine/b.js';\n"
                  "export * from '../dragoman.js';\n/** @type {import('../api/c.js').C} */\nawait import('./d.js');\n") == 3
        and probe(*web, 'engine/probe.js', "import '../page/e.js';") == 1
        and probe(*web, 'cellar/probe.js', '') == 1
    )
    assert works, 'the check itself does not work'
    found = [*violations_of(*src, {'.h', '.cpp'}), *violations_of(*web, {'.js', '.mjs'})]
    print('\n'.join(found) or 'layering holds')
    sys.exit(bool(found))


main()
