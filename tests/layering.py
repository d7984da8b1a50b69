#!/usr/bin/python3
"""Fails if an #include of src/ crosses a layer the wrong way, or if anything but base/ includes Eigen.

  base <- kernels <- model <- engine <- bindings        kernels, engine <- cli
  base <- io <------ model    kernels <- search <- engine
  base <- text <----------- engine                        kernels <- bindings (to choose one)
"""
import pathlib
import re
import sys

ALLOWED = {
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
SOURCE = pathlib.Path(__file__).parent.parent / 'src'


def violations(path, text):
    layer = path.relative_to(SOURCE).parts[0]
    for number, line in enumerate(text.splitlines(), 1):
        include = re.match(r'\s*#\s*include\s*[<"]([^>"]+)', line)
        if not include:
            continue
        top = include[1].split('/')[0]
        if top in ALLOWED and top != layer and top not in ALLOWED[layer]:
            yield f'{path}:{number}: {layer}/ must not include {include[1]}'
        if top == 'Eigen' and layer != 'base':
            yield f'{path}:{number}: Eigen is included by base/matrix.h only'


def main():
    probe = list(violations(SOURCE / 'kernels/probe.h', '#include "model/weights.h"\n#include <Eigen/Core>\n'))
    assert len(probe) == 2, 'the check itself does not work'
    found = [v for path in sorted(SOURCE.rglob('*')) if path.suffix in ('.h', '.cpp')
             for v in violations(path, path.read_text())]
    unknown = {p.name for p in SOURCE.iterdir()} - ALLOWED.keys()
    found += [f'src/{name} is no layer' for name in sorted(unknown)]
    print('\n'.join(found) or 'layering holds')
    sys.exit(bool(found))


main()
