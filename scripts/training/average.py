"""The average of models that go back to the same beginning: often better than each (Wortsman et al. 2022, "Model soups")."""
import os
import shutil

import numpy as np

import weight_file


def average(models, out):
    """Write the float model folder `out`. models: FOLDER[:PART], float or int8, of one shape and vocabulary; parts are 1
    unless said."""
    stated = [model.partition(':') for model in models]
    folders, parts = [folder for folder, _, _ in stated], [float(part or 1) for _, _, part in stated]
    mean = {}
    for folder, part in zip(folders, parts, strict=True):
        for name, array in weight_file.read_weights(os.path.join(folder, 'model.safetensors')).items():
            mean[name] = mean.get(name, 0) + array * np.float32(part / sum(parts))
    os.makedirs(out, exist_ok=True)
    halves = {name: array.astype(np.float16) for name, array in mean.items()}
    weight_file.write(os.path.join(out, 'model.safetensors'), halves, 'pt')
    for name in ('config.json', 'vocab.spm'):
        shutil.copyfile(os.path.join(folders[0], name), os.path.join(out, name))
