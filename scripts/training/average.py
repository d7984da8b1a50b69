"""The average of models that go back to the same beginning: often better than each (Wortsman et al. 2022, "Model soups")."""
import os
import shutil

import numpy as np

import weight_file


def average(models, out):
    """Write the float model folder `out`. models: FOLDER[:PART], float, of one shape and vocabulary; parts are 1 unless said."""
    folders, parts = zip(*((folder, float(part or 1)) for folder, _, part in (model.partition(':') for model in models)))
    mean = {}
    for folder, part in zip(folders, parts):
        for name, array in weight_file.read(os.path.join(folder, 'model.safetensors'))[0].items():
            share = array.reshape(-1) if name == 'final_logits_bias' else array
            mean[name] = mean.get(name, 0) + share.astype(np.float32) * np.float32(part / sum(parts))
    os.makedirs(out, exist_ok=True)
    weight_file.write(os.path.join(out, 'model.safetensors'), {name: array.astype(np.float16) for name, array in mean.items()}, 'pt')
    for name in ('config.json', 'vocab.spm'):
        shutil.copyfile(os.path.join(folders[0], name), os.path.join(out, name))
