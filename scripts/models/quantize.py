#!/usr/bin/python3
"""Turn a float model folder into an int8 one.

usage: quantize.py IN_DIR OUT_DIR

Every matrix `X.weight` [out, in] (the embedding too) becomes I8 with one scale a row, `X.weight_scale` F32 [out]:
symmetric, values -127..127, the scale that leaves the least squared error in the row (the largest values may be clipped for
the sake of the many). Biases, layer norms and final_logits_bias are F32.
Matrices come first in the file, so that they start on the aligned data section; config.json and vocab.spm are copied.
"""
import argparse
import os
import shutil
import sys

import numpy as np

import weight_file

LARGEST = 127
CLIPPED_AT = np.linspace(0.7, 1.0, 31, dtype=np.float32)       # of a row's largest magnitude


def quantise_matrix(weight):
    """F32 [N, K] -> (I8 [N, K], F32 scale [N]) with weight ~ integers * scale."""
    largest = np.abs(weight).max(1)
    largest = np.where(largest > 0, largest, np.float32(LARGEST))       # a row of zeros: any scale will do
    best, least = None, None
    for part in CLIPPED_AT:
        scale = largest * part / np.float32(LARGEST)
        integers = np.clip(np.rint(weight / scale[:, None]), -LARGEST, LARGEST)
        error = np.square(integers * scale[:, None] - weight).sum(1)
        if best is None:
            best, least = scale, error
        best, least = np.where(error < least, scale, best), np.minimum(error, least)
    return np.clip(np.rint(weight / best[:, None]), -LARGEST, LARGEST).astype(np.int8), best


def quantise(tensors):
    """{name: F16 or F32 array} -> {name: I8 or F32 array}, matrices first."""
    if not {'model.shared.weight', 'model.decoder.embed_tokens.weight'} & set(tensors):
        raise weight_file.WeightFileError(
            'no tensor model.shared.weight or model.decoder.embed_tokens.weight: this is no translation model')
    matrices, vectors = {}, {}
    for name, array in tensors.items():
        if array.dtype == np.int8:
            raise weight_file.WeightFileError(f'{name} is int8 already; give the float model')
        array = array.astype(np.float32)
        if not np.isfinite(array).all():
            raise weight_file.WeightFileError(f'{name} holds values that are not finite')
        if weight_file.is_matrix(name, array):
            matrices[name], vectors[name + '_scale'] = quantise_matrix(array)
        else:
            vectors[name] = array
    return {**matrices, **vectors}


def quantise_folder(source, target):
    """Write the int8 twin of the model folder `source` to `target`."""
    vocabularies = [name for name in ('vocab.spm', 'source.spm', 'target.spm') if os.path.isfile(os.path.join(source, name))]
    files = {name: os.path.join(source, name) for name in ('config.json', *(vocabularies or ['vocab.spm']), 'model.safetensors')}
    for path in files.values():
        if not os.path.isfile(path):
            raise weight_file.WeightFileError(f'{path} is missing; a model folder holds {", ".join(files)}')
    if os.path.exists(target) and os.path.samefile(source, target):
        raise weight_file.WeightFileError('IN_DIR and OUT_DIR are the same folder')
    tensors = quantise(weight_file.read(files['model.safetensors'])[0])
    os.makedirs(target, exist_ok=True)
    for name in ('config.json', *vocabularies):
        shutil.copyfile(files[name], os.path.join(target, name))
    weight_file.write(os.path.join(target, 'model.safetensors'), tensors, 'dragoman-int8')


def main():
    parser = argparse.ArgumentParser(description='float model folder -> int8 model folder')
    parser.add_argument('source', metavar='IN_DIR')
    parser.add_argument('target', metavar='OUT_DIR')
    args = parser.parse_args()
    try:
        quantise_folder(args.source, args.target)
    except weight_file.WeightFileError as error:
        sys.exit(f'quantize.py: {error}')


if __name__ == '__main__':
    main()
