#!/usr/bin/python3
"""Write or check weights/manifest.json: every file of every direction with its size, sha256 and origin.

usage: manifest.py            rewrites weights/manifest.json
       manifest.py --check    exit status 1, with a line for each difference, when the files are not what it says
"""
import argparse
import hashlib
import json
import os
import sys

WEIGHTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../weights')
MANIFEST = os.path.join(WEIGHTS, 'manifest.json')
# Origin of each file of a direction, in the order in which a loader wants them.
FILES = {
    'config.json': 'written by the training export',
    'model.safetensors': 'trained by the project (weights/README.md), quantised to int8 by scripts/models/quantize.py',
    'vocab.spm': 'SentencePiece unigram model trained on the same text',
}


def describe_file(direction, name, source):
    """The manifest entry of one file."""
    path = f'{direction}/{name}'
    with open(os.path.join(WEIGHTS, path), 'rb') as file:
        data = file.read()
    return {'name': name, 'path': path, 'bytes': len(data), 'sha256': hashlib.sha256(data).hexdigest(), 'source': source}


def describe_model(direction):
    """The manifest entry of one direction; its languages come from its config."""
    with open(os.path.join(WEIGHTS, direction, 'config.json'), encoding='utf-8') as file:
        config = json.load(file)
    return {'sourceLanguage': config['source_language'], 'targetLanguage': config['target_language'],
            'files': [describe_file(direction, name, source) for name, source in FILES.items()]}


def main():
    parser = argparse.ArgumentParser(description='write or check weights/manifest.json')
    parser.add_argument('--check', action='store_true')
    args = parser.parse_args()
    # English first: it is the direction that a page offers before anyone has chosen.
    directions = sorted((d for d in os.listdir(WEIGHTS) if os.path.exists(os.path.join(WEIGHTS, d, 'config.json'))),
                        key=lambda d: (not d.startswith('en-'), d))
    manifest = {'version': 1, 'models': [describe_model(direction) for direction in directions]}
    if not args.check:
        with open(MANIFEST, 'w', encoding='utf-8') as file:
            json.dump(manifest, file, indent=1)
            file.write('\n')
        return
    with open(MANIFEST, encoding='utf-8') as file:
        listed = {entry['path']: entry for model in json.load(file)['models'] for entry in model['files']}
    found = {entry['path']: entry for model in manifest['models'] for entry in model['files']}
    wrong = [path for path in sorted(listed.keys() | found.keys()) if listed.get(path) != found.get(path)]
    for path in wrong:
        print(f'manifest.py: {path} is not what weights/manifest.json says; rerun scripts/models/manifest.py', file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == '__main__':
    main()
