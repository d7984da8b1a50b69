#!/usr/bin/python3
"""A model folder of ours as a Marian int8 file, which Bergamot loads: both engines then run the very same weights.

usage: marian_file.py MODEL_DIR OUT.bin < "source<TAB>translation" lines

Bergamot multiplies int8 activations by int8 weights with one scale a matrix. The weights' scale comes from the matrix, the
activations' from what they are in the given sentences (mean + 1.1 standard deviations of their largest values).

Marian's binary format: u64 version, u64 n, n x {u64 name length with NUL, type, rank, bytes}, names, int32 shapes, u64
padding up to a multiple of 256, data.
"""
import struct
import sys

import numpy as np

from marian_config import marian_config
from reference import EOS, Model, load_vocabularies

FLOAT32, INT8, INTGEMM8 = 0x0404, 0x0101, 0x4101
ALIGNMENT = 256


class WatchedModel(Model):
    """Remembers the largest absolute activation that every linear layer was given, sentence by sentence."""

    def __init__(self, folder):
        super().__init__(folder)
        self.largest = {}

    def linear(self, name, x):
        """As Model.linear"""
        self.largest.setdefault(name, []).append(np.abs(x).max())
        return super().linear(name, x)

    def ssru(self, name, x):
        """As Model.ssru"""
        self.largest.setdefault(name + '.candidate', []).append(np.abs(x).max())
        return super().ssru(name, x)

    def multiplier(self, name):
        """From activations to int8."""
        return 127 / (np.mean(self.largest[name]) + 1.1 * np.std(self.largest[name]))


class MarianFile:
    """Collects tensors, then writes them."""

    def __init__(self, model):
        self.model, self.items = model, []

    def add(self, name, kind, shape, data):
        """`data`: bytes"""
        self.items.append((name, kind, shape, data))

    def floats(self, name, shape, values):
        """A float tensor; every tensor but the config fills whole blocks."""
        data = np.asarray(values, '<f4').tobytes()
        self.add(name, FLOAT32, shape, data + b'\0' * (-len(data) % ALIGNMENT))

    def vector(self, name, ours):
        """A bias, or a layer norm's weight or bias."""
        values = self.model.vectors[ours]
        self.floats(name, (1, values.size), values)

    def integers(self, name, matrix, shape):
        """int8 values and, behind them, the multiplier that made them."""
        multiplier = 127 / np.abs(matrix).max()
        data = np.clip(np.rint(matrix * multiplier), -127, 127).astype(np.int8).tobytes() + struct.pack('<f', multiplier)
        self.add(name, INTGEMM8, shape, data + b'\0' * (-len(data) % ALIGNMENT))

    def weight(self, name, ours):
        """A linear layer's matrix. Ours is [out, in], which is how intgemm wants it, though the shape says [in, out]."""
        matrix = self.model.matrices[ours + '.weight'].real
        self.integers(name, matrix, matrix.shape[::-1])
        self.floats(name + '_QuantMultA', (1,), self.model.multiplier(ours))

    def norm(self, name, ours, end=''):
        """A layer norm."""
        self.vector(f'{name}_ln_scale{end}', ours + '.weight')
        self.vector(f'{name}_ln_bias{end}', ours + '.bias')

    def sublayer_norm(self, name, ours):
        """The one behind or before a sub-layer."""
        self.norm(name, ours, '_pre' if self.model.config['normalize_before'] else '')

    def attention(self, name, ours, norm):
        """The four projections of an attention and the layer norm behind it."""
        for letter, projection in zip('qkvo', ('q_proj', 'k_proj', 'v_proj', 'out_proj'), strict=True):
            self.weight(f'{name}_W{letter}', f'{ours}.{projection}')
            self.vector(f'{name}_b{letter}', f'{ours}.{projection}.bias')
        self.sublayer_norm(f'{name}_Wo', norm)

    def feed_forward(self, name, ours):
        """The two feed-forward layers and the layer norm behind them."""
        for i in '12':
            self.weight(f'{name}_ffn_W{i}', f'{ours}.fc{i}')
            self.vector(f'{name}_ffn_b{i}', f'{ours}.fc{i}.bias')
        self.sublayer_norm(f'{name}_ffn_ffn', f'{ours}.final_layer_norm')

    def ssru(self, name, ours):
        """A recurrent unit and the layer norm behind it."""
        self.weight(f'{name}_rnn_W', f'{ours}.ssru.candidate')
        self.weight(f'{name}_rnn_Wf', f'{ours}.ssru.forget')
        self.vector(f'{name}_rnn_bf', f'{ours}.ssru.forget.bias')
        self.norm(f'{name}_rnn_ffn', f'{ours}.ssru_layer_norm')

    def embeddings(self, last_norm):
        """Of both sides, one or two; not transposed. The target's is the output layer, too: behind a layer norm, few values
        exceed four times its weight."""
        shared = self.model.source_embedding is self.model.embedding
        names = ('Wemb', 'Wemb') if shared else ('encoder_Wemb', 'decoder_Wemb')
        for name, matrix in dict(zip(names, (self.model.source_embedding, self.model.embedding), strict=True)).items():
            self.integers(name, matrix.real, matrix.real.shape)
        multiplier, output = 127 / max(4.0, np.abs(self.model.vectors[last_norm + '.weight']).max() * 4), names[1]
        if self.model.output is not self.model.embedding:
            output, matrix = 'decoder_ff_logit_out_W', self.model.output.real
            self.integers(output, matrix, matrix.shape[::-1])
        for name in (output, 'none'):
            self.floats(name + '_QuantMultA', (1,), multiplier)

    def around_layers(self):
        """What both sides may have in front of their layers and behind them; the table of positions they share."""
        vectors = self.model.vectors
        tables = [vectors.get(f'model.{side}.embed_positions.weight') for side in ('encoder', 'decoder')]
        if tables[0] is not None:
            if not np.array_equal(*tables):
                raise ValueError('Marian has one table of positions for both sides')
            self.floats('Wpos', tables[0].shape, tables[0])
        for side in ('encoder', 'decoder'):
            for ours, name, end in (('layernorm_embedding', 'emb', '_pre'), ('layer_norm', 'top', '')):
                if f'model.{side}.{ours}.weight' in vectors:
                    self.norm(f'{side}_{name}', f'model.{side}.{ours}', end)
        if 'final_logits_bias' in vectors:
            self.vector('decoder_ff_logit_out_b', 'final_logits_bias')

    def write(self, path):
        """All tensors so far, to a file."""
        with open(path, 'wb') as file:
            file.write(struct.pack('<QQ', 1, len(self.items)))
            for name, kind, shape, data in self.items:
                file.write(struct.pack('<4Q', len(name) + 1, kind, len(shape), len(data)))
            for name, *_ in self.items:
                file.write(name.encode() + b'\0')
            for _, _, shape, _ in self.items:
                file.write(struct.pack(f'<{len(shape)}i', *shape))
            padding = -(file.tell() + 8) % ALIGNMENT
            file.write(struct.pack('<Q', padding) + b'\0' * padding)
            for *_, data in self.items:
                file.write(data)


def export(folder, out, lines):
    """Write the model of `folder` to `out`; activations are what they are in `lines`, sentences and their translations."""
    model, (source_vocabulary, target_vocabulary) = WatchedModel(folder), load_vocabularies(folder)
    for line in lines:
        source, translation = line.rstrip('\n').split('\t')
        model.decode(target_vocabulary.encode(translation), model.encode(source_vocabulary.encode(source) + [EOS]))
    file, owners = MarianFile(model), sorted(set(model.decoder.layers))
    has_final = 'model.decoder.layer_norm.weight' in model.vectors
    file.embeddings('model.decoder.layer_norm' if has_final else f'model.decoder.layers.{owners[-1]}.final_layer_norm')
    for i in model.encoder.layers:
        name, ours = f'encoder_l{i + 1}', f'model.encoder.layers.{i}'
        file.attention(f'{name}_self', f'{ours}.self_attn', f'{ours}.self_attn_layer_norm')
        file.feed_forward(name, ours)
    for i in owners:
        name, ours = f'decoder_l{i + 1}', f'model.decoder.layers.{i}'
        if model.has_ssru:
            file.ssru(name, ours)
        else:
            file.attention(f'{name}_self', f'{ours}.self_attn', f'{ours}.self_attn_layer_norm')
        file.attention(f'{name}_context', f'{ours}.encoder_attn', f'{ours}.encoder_attn_layer_norm')
        file.feed_forward(name, ours)
    file.around_layers()
    config = marian_config(model.config).encode() + b'\0'
    file.add('special:model.yml', INT8, (len(config),), config)
    file.write(out)


def main():
    export(*sys.argv[1:3], sys.stdin)


if __name__ == '__main__':
    main()
