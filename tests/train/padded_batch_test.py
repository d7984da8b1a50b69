#!/usr/bin/python3
"""A padded batch in PyTorch, with its masks, and the core's rows without padding give the same numbers.

torch.nn.Transformer's layers run a batch of sentences of different lengths, the target given, with key padding masks and a causal
mask; `dragoman translate` runs the same sentences side by side, a token at a time. Compared are the log-probabilities of the
translations. Needs build/native/dragoman.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import torch
from torch import nn

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..')
sys.path.insert(0, os.path.join(ROOT, 'scripts/models'))
import make_tiny_model  # ruff: ignore[module-import-not-at-top-of-file]
import make_variant_models  # ruff: ignore[module-import-not-at-top-of-file]
import model_config  # ruff: ignore[module-import-not-at-top-of-file]
import reference  # ruff: ignore[module-import-not-at-top-of-file]

BEHIND = os.path.join(ROOT, 'tests/data/tiny-f16')
SENTENCES = ['Zug', 'Wo ist die Katze?', 'Yes!', 'You can change the language in the settings.']
BEFORE = model_config.make_config(
    'en', 'de', 384, 24, 20, 2, 3, 2, activation_function='gelu', normalize_before=True, position_embedding='learned',
    position_offset=2, max_position_embeddings=60, scale_embedding=False, tie_word_embeddings=False, projections='fused',
    decoder_start='token', decoder_start_token_id=0)


def real(array):
    """As torch has it, in double precision."""
    return torch.tensor(np.asarray(array), dtype=torch.float64)


def copy_layer(layer, name, model, norms):
    """A layer of torch's gets the parameters of ours; `norms`: the names of its layer norms, in torch's order."""
    def get(part):
        return real(model.matrices[part].real if part in model.matrices else model.vectors[part])
    for ours, theirs in (('self_attn', 'self_attn'), ('encoder_attn', 'multihead_attn')):
        if not hasattr(layer, theirs):
            continue
        attention, part = getattr(layer, theirs), f'{name}.{ours}'
        for kind in ('weight', 'bias'):
            fused = f'{part}.in_proj_{kind}'
            separate = [f'{part}.{letter}_proj.{kind}' for letter in 'qkv']
            has_fused = fused in model.matrices or fused in model.vectors
            getattr(attention, f'in_proj_{kind}').data = get(fused) if has_fused else torch.cat([get(p) for p in separate])
            getattr(attention.out_proj, kind).data = get(f'{part}.out_proj.{kind}')
    for ours, theirs in (('fc1', layer.linear1), ('fc2', layer.linear2), *zip(norms, (
            getattr(layer, f'norm{i + 1}') for i in range(len(norms))), strict=True)):
        for kind in ('weight', 'bias'):
            getattr(theirs, kind).data = get(f'{name}.{ours}.{kind}')


def stack(model, side, make, norms):
    """The layers of a side and its last norm, as torch's modules."""
    config, layers = model.config, []
    for i in side.layers:
        layer = make(side.width, side.heads, config['encoder_ffn_dim'], 0, config['activation_function'], 1e-6, True,
                     side.norm_first, dtype=torch.float64)
        copy_layer(layer.eval(), f'{side.name}.layers.{i}', model, norms)
        layers.append(layer)
    final = nn.Identity()
    if side.final_norm:
        final = nn.LayerNorm(side.width, 1e-6, dtype=torch.float64)
        for kind in ('weight', 'bias'):
            getattr(final, kind).data = real(model.vectors[f'{side.name}.layer_norm.{kind}'])
    return layers, final


def padded(rows):
    """[[L_i, D]] -> [B, L, D] with zeros behind, and the mask [B, L] of what is padding."""
    longest = max(len(row) for row in rows)
    mask = torch.tensor([[i >= len(row) for i in range(longest)] for row in rows])
    return torch.stack([nn.functional.pad(real(row), (0, 0, 0, longest - len(row))) for row in rows]), mask


@torch.no_grad()
def batch_logits(model, sources, prefixes):
    """Ids of all sources and the targets so far -> logits [T_i, V] of each, by one padded batch."""
    encoder, encoder_norm = stack(model, model.encoder, nn.TransformerEncoderLayer, ['self_attn_layer_norm', 'final_layer_norm'])
    decoder, decoder_norm = stack(model, model.decoder, nn.TransformerDecoderLayer,
                                  ['self_attn_layer_norm', 'encoder_attn_layer_norm', 'final_layer_norm'])
    memory, source_mask = padded([model.embed(model.encoder, model.source_embedding, ids) for ids in sources])
    for layer in encoder:
        memory = layer(memory, src_key_padding_mask=source_mask)
    memory = encoder_norm(memory)
    start = model.config.get('decoder_start_token_id')
    x, target_mask = padded([model.embed(model.decoder, model.embedding, [start, *ids]) for ids in prefixes])
    causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
    for layer in decoder:
        x = layer(x, memory, tgt_mask=causal, tgt_key_padding_mask=target_mask, memory_key_padding_mask=source_mask)
    logits = decoder_norm(x) @ real(model.output.real).T + real(model.vectors['final_logits_bias'])
    return [row[:len(ids) + 1].numpy() for row, ids in zip(logits, prefixes, strict=True)]


def log_probability(logits, ids):
    """Of the tokens `ids`, given the logits [T, V] of each step."""
    return float(sum(row[token] for row, token in zip(logits, ids, strict=True)) - reference.log_normaliser(logits).sum())


class PaddedBatch(unittest.TestCase):
    """Post-norm with ReLU and sinusoids, and pre-norm with GELU, learned positions and fused projections."""

    def check(self, folder):
        """One folder: PyTorch's batch, the reference sentence by sentence, and the core side by side."""
        model, (source_vocabulary, _) = reference.Model(folder), reference.load_vocabularies(folder)
        sources = [[*source_vocabulary.encode(text), model.eos] for text in SENTENCES]
        targets = []
        for ids in sources:
            out = model.greedy(ids)
            targets.append(out if len(out) == model.limit(len(ids)) else [*out, model.eos])
        batch = batch_logits(model, sources, [ids[:-1] for ids in targets])
        for source, ids, logits in zip(sources, targets, batch, strict=True):
            alone = model.decode(ids[:-1], model.encode(source))[0]
            self.assertLess(np.abs(logits - alone).max(), 1e-6)
        command = [os.path.join(ROOT, 'build/native/dragoman'), 'translate', '--json', '--model', folder]
        lines = subprocess.run(command, input='\n'.join(SENTENCES) + '\n', capture_output=True, text=True, check=True).stdout
        for line, ids, logits in zip(lines.splitlines(), targets, batch, strict=True):
            found = json.loads(line)
            self.assertEqual(found['tokens'], len(ids) - (ids[-1] == model.eos), found['source'])
            self.assertAlmostEqual(found['log_probability'], log_probability(logits, ids), delta=2e-3, msg=found['source'])

    def test_norm_behind(self):
        """tests/data/tiny-f16"""
        self.check(BEHIND)

    def test_norm_before(self):
        """A random model, made here."""
        with open(os.path.join(BEHIND, 'vocab.spm'), 'rb') as file:
            vocabularies = {'vocab.spm': file.read()}
        with tempfile.TemporaryDirectory() as folder:
            make_tiny_model.write_folder(folder, BEFORE, vocabularies, make_variant_models.random_tensors(3, BEFORE))
            self.check(folder)


if __name__ == '__main__':
    unittest.main()
