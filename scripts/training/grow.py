"""A larger model that begins where a smaller one is: wider feed-forward layers, more encoder layers (after Chen et al. 2016,
"Net2Net").

New units copy the incoming weights of others, with noise, and have no outgoing ones: what the model computes stays. A new
layer copies the one below it, but both of its sub-layers give zero; its norms have to give back what the norm below gave, which
they do on average over positions. So little is forgotten, and training goes on with `fit --init`.
"""
import json
import os
import shutil

import numpy as np

import weight_file

NOISE = 0.5             # of new units, in standard deviations of the weights that they copy
NORMS = 'self_attn_layer_norm', 'final_layer_norm'
SILENT = 'self_attn.out_proj', 'fc2'        # the last of each sub-layer


class GrowthError(Exception):
    """What was asked for is not larger, or the model cannot be grown; the message says why, for a person."""


def widen(weights, layer, ffn, rng):
    """Feed-forward units of `layer` (its prefix, dot at the end) up to `ffn`, in place."""
    inner, outer = weights[f'{layer}fc1.weight'], weights[f'{layer}fc2.weight']     # [F, D], [D, F]
    copied = rng.choice(len(inner), ffn - len(inner), replace=ffn > 2 * len(inner))
    noise = rng.normal(0, NOISE * inner.std(), (len(copied), inner.shape[1]))
    weights[f'{layer}fc1.weight'] = np.concatenate([inner, inner[copied] + noise])
    weights[f'{layer}fc1.bias'] = np.concatenate([weights[f'{layer}fc1.bias'], weights[f'{layer}fc1.bias'][copied]])
    weights[f'{layer}fc2.weight'] = np.concatenate([outer, np.zeros((len(outer), len(copied)))], 1)


def inserted(below):
    """A layer, {name: array}, that gives what it is given by that one below it. Of x, with mean m and deviation s over the width,
    a norm makes (x - m) / s; these scales and offsets undo that, m and s being those that the last norm below gives on average.
    """
    scale, offset = (below[f'final_layer_norm.{part}'] for part in ('weight', 'bias'))
    layer = dict(below)
    for norm in NORMS:
        layer[f'{norm}.weight'] = np.full_like(scale, np.sqrt(np.mean(scale ** 2) + np.var(offset)))
        layer[f'{norm}.bias'] = np.full_like(offset, np.mean(offset))
    for name in SILENT:
        for part in ('weight', 'bias'):
            layer[f'{name}.{part}'] = np.zeros_like(below[f'{name}.{part}'])
    return layer


def deepen(weights, old, new):
    """Encoder layers from `old` to `new`, evenly spread, in place."""
    def prefix(i):
        return f'model.encoder.layers.{i}.'
    layers = [{name[len(prefix(i)):]: weights.pop(name) for name in list(weights) if name.startswith(prefix(i))}
              for i in range(old)]
    more = new - old
    below = [-(-(j + 1) * old // more) - 1 for j in range(more)]        # the old layer that each new one stands on
    grown = []
    for i, layer in enumerate(layers):
        grown += [layer] + [inserted(layer)] * below.count(i)
    weights.update({prefix(i) + name: array for i, layer in enumerate(grown) for name, array in layer.items()})


def grow(model, out, ffn, encoder_layers, seed=1):
    """Write the float model folder `out`: that of `model`, float or int8, with feed-forward layers of `ffn` units on both sides
    and `encoder_layers`; 0 leaves either."""
    with open(os.path.join(model, 'config.json'), encoding='utf-8') as file:
        config = json.load(file)
    if (config.get('normalize_before') or config.get('activation_function') != 'relu'
            or config['encoder_ffn_dim'] != config['decoder_ffn_dim']):
        raise GrowthError(f'{model}: only models with norms behind their sub-layers, ReLU and feed-forward layers of one width, '
                          'as `fit` makes them, can grow')
    old_ffn, old_layers = config['encoder_ffn_dim'], config['encoder_layers']
    ffn, encoder_layers = ffn or old_ffn, encoder_layers or old_layers
    if ffn < old_ffn or encoder_layers < old_layers or (ffn, encoder_layers) == (old_ffn, old_layers):
        raise GrowthError(f'{model} has feed-forward layers of {old_ffn} units and {old_layers} encoder layers; ask for more')
    weights, rng = dict(weight_file.read_weights(os.path.join(model, 'model.safetensors'))), np.random.default_rng(seed)
    if ffn > old_ffn:
        for side in ('encoder', 'decoder'):
            for i in range(config[f'{side}_layers']):
                widen(weights, f'model.{side}.layers.{i}.', ffn, rng)
    if encoder_layers > old_layers:
        deepen(weights, old_layers, encoder_layers)
    config |= {'encoder_ffn_dim': ffn, 'decoder_ffn_dim': ffn, 'encoder_layers': encoder_layers}
    os.makedirs(out, exist_ok=True)
    halves = {name: array.astype(np.float16) for name, array in weights.items()}
    weight_file.write(os.path.join(out, 'model.safetensors'), halves, 'pt')
    with open(os.path.join(out, 'config.json'), 'w', encoding='utf-8') as file:
        json.dump(config, file, indent=1)
    shutil.copyfile(os.path.join(model, 'vocab.spm'), os.path.join(out, 'vocab.spm'))
