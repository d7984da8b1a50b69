#!/usr/bin/python3
"""A padded batch in PyTorch, with its masks, and the core's rows without padding give the same numbers.

torch.nn.Transformer's layers run a batch of sentences of different lengths, the target given, with key padding masks and a causal
mask; `dragoman translate` runs the same sentences side by side, a token at a time, and `dragoman inspect` each alone, all
positions at once. Compared are the log-probabilities of the translations, and of the latter masks, hidden states and attention of
all heads.
Needs build/native/dragoman.
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


def weights_of(attention, queries, keys, **masks):
    """[B, H, T, S] of a torch.nn.MultiheadAttention."""
    return attention(queries, keys, keys, need_weights=True, average_attn_weights=False, **masks)[1]


class Batch:
    """What torch computes on one padded batch, each by the name that `dragoman inspect` has for it.

    hidden and attention: [layers, B, ...]; logits [B, T, V]; the masks: true is hidden.
    """

    @torch.no_grad()
    def __init__(self, model, sources, prefixes):
        """Ids of all sources and the targets so far."""
        self.encoder, self.decoder = ({'hidden': [], 'self_attention': []} for _ in range(2))
        self.decoder['cross_attention'] = []
        memory = self.encode(model, sources)
        self.decode(model, memory, prefixes)

    def encode(self, model, sources):
        """The memory [B, S, D]."""
        layers, norm = stack(model, model.encoder, nn.TransformerEncoderLayer, ['self_attn_layer_norm', 'final_layer_norm'])
        x, self.source_padding = padded([model.embed(model.encoder, model.source_embedding, ids) for ids in sources])
        self.encoder['hidden'].append(x)
        for layer in layers:
            read = layer.norm1(x) if layer.norm_first else x
            self.encoder['self_attention'].append(weights_of(layer.self_attn, read, read, key_padding_mask=self.source_padding))
            x = layer(x, src_key_padding_mask=self.source_padding)
            self.encoder['hidden'].append(x)
        return self.finish(model.encoder, norm, x, self.encoder)

    def decode(self, model, memory, prefixes):
        """Leaves the logits."""
        layers, norm = stack(model, model.decoder, nn.TransformerDecoderLayer,
                             ['self_attn_layer_norm', 'encoder_attn_layer_norm', 'final_layer_norm'])
        start = model.config.get('decoder_start_token_id')
        x, self.target_padding = padded([model.embed(model.decoder, model.embedding, [start, *ids]) for ids in prefixes])
        self.causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
        masks = {'attn_mask': self.causal, 'key_padding_mask': self.target_padding}
        self.decoder['hidden'].append(x)
        for layer in layers:
            read = layer.norm1(x) if layer.norm_first else x
            self.decoder['self_attention'].append(weights_of(layer.self_attn, read, read, **masks))
            seen = x + layer.self_attn(read, read, read, **masks)[0]
            queries = layer.norm2(seen) if layer.norm_first else layer.norm1(seen)
            self.decoder['cross_attention'].append(
                weights_of(layer.multihead_attn, queries, memory, key_padding_mask=self.source_padding))
            x = layer(x, memory, tgt_mask=self.causal, tgt_key_padding_mask=self.target_padding,
                      memory_key_padding_mask=self.source_padding)
            self.decoder['hidden'].append(x)
        x = self.finish(model.decoder, norm, x, self.decoder)
        self.logits = (x @ real(model.output.real).T + real(model.vectors['final_logits_bias'])).numpy()

    @staticmethod
    def finish(side, norm, x, seen):
        """x, or its norm, if the side has one."""
        if side.final_norm:
            x = norm(x)
            seen['hidden'].append(x)
        return x


def batch_logits(batch, prefixes):
    """[T_i, V] of each sentence."""
    return [row[:len(ids) + 1] for row, ids in zip(batch.logits, prefixes, strict=True)]


def log_probability(logits, ids):
    """Of the tokens `ids`, given the logits [T, V] of each step."""
    return float(sum(row[token] for row, token in zip(logits, ids, strict=True)) - reference.log_normaliser(logits).sum())


def dragoman(*arguments):
    """What it prints for the sentences."""
    return subprocess.run([os.path.join(ROOT, 'build/native/dragoman'), *arguments], input='\n'.join(SENTENCES) + '\n',
                          capture_output=True, text=True, check=True).stdout


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
        prefixes = [ids[:-1] for ids in targets]
        batch = Batch(model, sources, prefixes)
        logits_of = batch_logits(batch, prefixes)
        for source, ids, logits in zip(sources, targets, logits_of, strict=True):
            alone = model.decode(ids[:-1], model.encode(source))[0]
            self.assertLess(np.abs(logits - alone).max(), 1e-6)
        lines = dragoman('translate', '--json', '--model', folder)
        for line, ids, logits in zip(lines.splitlines(), targets, logits_of, strict=True):
            found = json.loads(line)
            self.assertEqual(found['tokens'], len(ids) - (ids[-1] == model.eos), found['source'])
            self.assertAlmostEqual(found['log_probability'], log_probability(logits, ids), delta=2e-3, msg=found['source'])

        self.check_inside(json.loads(dragoman('inspect', '--model', folder)), batch, targets)

    def check_inside(self, found, batch, targets):
        """What `dragoman inspect` shows stands in the batch where there is no padding, and padding is looked at by none."""
        for mask in ('source_padding', 'target_padding', 'causal'):
            self.assertEqual(found['masks'][mask], getattr(batch, mask).tolist(), mask)
        for i, (sentence, ids, logits) in enumerate(zip(found['sentences'], targets, batch.logits, strict=True)):
            self.assertEqual(sentence['decoder']['tokens'], ids)
            source, target = len(sentence['encoder']['tokens']), len(ids)
            for side, key, rows, columns in (
                    ('encoder', 'hidden', source, None), ('encoder', 'self_attention', source, source),
                    ('decoder', 'hidden', target, None), ('decoder', 'self_attention', target, target),
                    ('decoder', 'cross_attention', target, source)):
                expected = torch.stack([state[i] for state in getattr(batch, side)[key]])[..., :rows, :].numpy()
                if columns is not None:
                    self.assertEqual(np.abs(expected[..., columns:]).sum(), 0)
                    expected = expected[..., :columns]
                np.testing.assert_allclose(sentence[side][key], expected, rtol=0, atol=2e-4, err_msg=f'{side} {key} {i}')
            self.assertAlmostEqual(sum(sentence['decoder']['log_probabilities']), log_probability(logits[:target], ids),
                                   delta=2e-3)

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
