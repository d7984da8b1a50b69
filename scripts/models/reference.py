#!/usr/bin/python3
"""The model, written for clarity: the definition of correct for the C++ core (numpy, float64).

usage: reference.py MODEL_DIR [--beam N] [--int8] < sentences > translations
       reference.py MODEL_DIR --score [--int8] < sentences, tab, translations > log-probabilities

Int8 folders run with dequantised weights, or, with --int8, with the integer products of our core (see `quantise_rows`).
Shapes: S source length, T target length, D model width (M the memory's), H heads, A their width together, V vocabulary. One
sentence at a time, no batch axis.
Source: Vaswani et al. 2017, by default with Marian's conventions (post-norm, sin|cos halves, zero start vector, tied
embeddings); src/model/README.md lists the variants. Kim et al. 2019, "From Research to Production and Back", for decoders
of SSRUs.
"""
import argparse
import json
import math
import os
import sys

import numpy as np
import sentencepiece

import weight_file

EOS = 0
LEVELS = 127            # activations are 0..127: seven bits, what relaxed_dot_i8x16_i7x16 takes
WIDE_LEVELS = 8191      # of models with wide activations; fewer where sums would not fit into 32 bits
SMALLEST_SPAN = np.float32(1e-30)   # of a row that is quantised: scale and inverse are then ordinary numbers


def softmax(x):
    """Softmax over the last axis."""
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def log_normaliser(logits):
    """[T, V] -> [T]: log of the sum of exp, so that log p = logit - this."""
    top = logits.max(-1)
    return np.log(np.exp(logits - top[..., None]).sum(-1)) + top


def quantise_rows(x, levels=LEVELS):
    """[R, K] activations -> (q [R, K] integers 0..levels, zero [R], scale [R]); x ~ scale * (q - zero).

    Affine per row. In float32 throughout, the zero point by a division, the values by a multiplication, as the core's
    kernel does: the rounding of a value half way between two levels is part of the contract.
    """
    x = x.astype(np.float32)
    low = np.minimum(x.min(-1), np.float32(0))
    span = np.maximum(x.max(-1), np.float32(0)) - low
    flat = span < SMALLEST_SPAN                 # as good as an all-zero row: any scale will do
    span = np.where(flat, np.float32(levels), span)
    scale = span / np.float32(levels)
    inverse = np.where(flat, np.float32(0), np.float32(levels) / span)
    zero = np.where(flat, np.float32(0), np.rint(-low / scale))
    q = np.clip(np.rint(x * inverse[:, None]) + zero[:, None], 0, levels)
    return q, zero, scale


class Matrix:
    """One weight matrix [N, K] with one scale a row when it is stored as int8."""

    def __init__(self, weight, scale, int8_products, wide=False):
        """`weight` F16, F32 or I8 [N, K]; `scale` [N] or None; `int8_products`: multiply as the int8 core does, the activations
        `wide` or not."""
        stored = weight.astype(np.float64)
        self.levels = min(WIDE_LEVELS, (2 ** 31 - 1) // 128 // weight.shape[1]) if wide else LEVELS
        self.scale = None if scale is None else scale.astype(np.float64)
        self.real = stored if scale is None else stored * self.scale[:, None]
        int8_products = int8_products and scale is not None
        self.integers = stored if int8_products else None
        self.row_sums = stored.sum(1) if int8_products else None

    def apply(self, x):
        """x [R, K] -> x W^T [R, N]. float64 holds the integer sums exactly."""
        if self.integers is None:
            return x @ self.real.T
        q, zero, scale = (a.astype(np.float64) for a in quantise_rows(x, self.levels))
        return scale[:, None] * self.scale * (q @ self.integers.T - zero[:, None] * self.row_sums)


def gelu_tanh(x):
    """GELU with a hyperbolic tangent in place of the error function."""
    return x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3))) / 2


ACTIVATIONS = {
    'relu': lambda x: np.maximum(x, 0),
    'gelu': lambda x: x * (1 + np.vectorize(math.erf, otypes=[float])(x / np.sqrt(2))) / 2,
    'gelu_new': gelu_tanh,
    'quick_gelu': lambda x: x / (1 + np.exp(-1.702 * x)),
    'silu': lambda x: x / (1 + np.exp(-x)),
}


def sinusoids(kind, numbers, width):
    """[count, D] for positions `numbers` [count]: sin of every frequency, then cos of every frequency, or in turn."""
    half = width // 2
    frequencies = 10000.0 ** (-np.arange(half) / (max(half - 1, 1) if kind == 'sinusoidal' else half))
    angles = numbers[:, None] * frequencies
    parts = np.sin(angles), np.cos(angles)
    return np.stack(parts, 2).reshape(len(numbers), -1) if kind == 'sinusoidal-interleaved' else np.concatenate(parts, 1)


class Side:
    """What differs between encoder and decoder."""

    def __init__(self, config, name):
        """`name`: encoder or decoder"""
        def of(key, default):
            return config.get(f'{name}_{key}', default)
        self.name, self.width = f'model.{name}', config['d_model'] if name == 'decoder' else of('d_model', config['d_model'])
        self.heads = config[f'{name}_attention_heads']
        self.head_width = of('head_dim', self.width // self.heads)
        self.norm_first = of('normalize_before', config.get('normalize_before', False))
        self.final_norm = of('final_norm', self.norm_first)
        self.layers = of('tied_layers', range(config[f'{name}_layers']))


class Model:
    """A model folder: config.json and model.safetensors (F32, F16, or int8 rows with scales)."""

    def __init__(self, folder, int8_products=False):
        with open(os.path.join(folder, 'config.json'), encoding='utf-8') as file:
            self.config = json.load(file)
        tensors, _ = weight_file.read(os.path.join(folder, 'model.safetensors'))
        shared = self.config.get('share_encoder_decoder_embeddings', True)
        tables = ['model.shared'] * 2 if shared else ['model.encoder.embed_tokens', 'model.decoder.embed_tokens']
        if int8_products and tensors[tables[0] + '.weight'].dtype != np.int8:
            raise ValueError(f'{folder}: int8 products need an int8 model')
        wide = self.config.get('wide_activations', False)
        self.matrices = {name: Matrix(array, tensors.get(name + '_scale'), int8_products, wide)
                         for name, array in tensors.items() if weight_file.is_matrix(name, array)}
        self.vectors = {name: array.astype(np.float64) if name.endswith('embed_positions.weight')
                        else array.astype(np.float64).reshape(-1)
                        for name, array in tensors.items() if name not in self.matrices}
        self.source_embedding, self.embedding = (self.matrices[name + '.weight'] for name in tables)
        self.output = self.embedding if self.config.get('tie_word_embeddings', True) else self.matrices['lm_head.weight']
        self.encoder, self.decoder = Side(self.config, 'encoder'), Side(self.config, 'decoder')
        self.has_ssru, self.eos = self.config.get('decoder_unit') == 'ssru', self.config['eos_token_id']
        self.watch = lambda name, array: None       # is told each layer's output [R, D] and attentions [H, R, S], by name

    def embed(self, side, table, ids):
        """ids [R], None for a zero vector -> [R, D], where `side` begins."""
        x = np.array([np.zeros(side.width) if token is None else table.real[token] for token in ids])
        if self.config.get('scale_embedding', True):
            x = x * np.sqrt(side.width)
        kind, numbers = self.config.get('position_embedding', 'sinusoidal'), np.arange(len(x))
        numbers = numbers + self.config.get('position_offset', 0)
        if kind == 'learned':
            x = x + self.vectors[side.name + '.embed_positions.weight'][numbers]
        elif kind != 'none':
            x = x + sinusoids(kind, numbers, side.width)
        x = self.norm(side.name + '.layernorm_embedding', x) if self.config.get('normalize_embedding', False) else x
        self.watch(side.name + '.embedding', x)
        return x

    def linear(self, name, x):
        """[R, in] -> [R, out]"""
        return self.matrices[name + '.weight'].apply(x) + self.vectors[name + '.bias']

    def norm(self, name, x):
        """Layer norm over the last axis."""
        deviations, eps = x - x.mean(-1, keepdims=True), self.config['layer_norm_eps']
        kind, squares = self.config.get('layer_norm', 'variance'), (deviations ** 2).sum(-1, keepdims=True)
        if kind == 'variance':
            divisor = np.sqrt(squares / x.shape[-1] + eps)
        else:
            divisor = np.sqrt(squares / (x.shape[-1] - (kind == 'unbiased-deviation'))) + eps
        return deviations / divisor * self.vectors[name + '.weight'] + self.vectors[name + '.bias']

    def sublayer(self, side, norm, x, f):
        """x [R, D] -> [R, D]: around the function f stand a residual connection and, behind or before, a layer norm."""
        if side.norm_first:
            return x + f(self.norm(norm, x))
        return self.norm(norm, x + f(x))

    def attend(self, side, q, k, v, causal):
        """q [T, A], k and v [S, A] -> context [T, A], weights [H, T, S]"""
        rows, cols, size = len(q), len(k), side.head_width

        def split(x):
            return x.reshape(len(x), side.heads, size).transpose(1, 0, 2)
        scores = split(q) @ split(k).transpose(0, 2, 1) / np.sqrt(size)
        if causal:
            scores = np.where(np.tril(np.ones((rows, cols), bool)), scores, -np.inf)
        weights = softmax(scores)
        return (weights @ split(v)).transpose(1, 0, 2).reshape(rows, -1), weights

    def fused(self, name, x, heads, parts):
        """[R, in] -> `parts` of [R, A]: one product whose outputs lie head by head, and in each part by part."""
        y = self.linear(name, x).reshape(len(x), heads, parts, -1)
        return [y[:, :, i].reshape(len(x), -1) for i in range(parts)]

    def project(self, side, name, x, memory, is_cross):
        """x [T, D], memory [S, M] -> queries [T, A], keys and values [S, A]"""
        kind = self.config.get('projections', 'separate')
        if kind == 'fused-heads' and is_cross:
            return [self.linear(f'{name}.q_proj', x), *self.fused(f'{name}.kv_proj', memory, side.heads, 2)]
        if kind == 'fused-heads':
            return self.fused(f'{name}.qkv_proj', x, side.heads, 3)
        if kind == 'fused' and x.shape[1] == memory.shape[1]:
            matrix, bias = self.matrices[f'{name}.in_proj_weight'], self.vectors[f'{name}.in_proj_bias']
            return [np.split(matrix.apply(y) + bias, 3, 1)[i] for i, y in enumerate((x, memory, memory))]
        return [self.linear(f'{name}.{letter}_proj', y) for letter, y in (('q', x), ('k', memory), ('v', memory))]

    def attention(self, side, name, x, memory=None):
        """x [T, D] attends to memory [S, M], or to itself -> [T, D], weights [H, T, S]"""
        is_cross = memory is not None
        projected = self.project(side, name, x, memory if is_cross else x, is_cross)
        context, weights = self.attend(side, *projected, causal=not is_cross and side is self.decoder)
        self.watch(name, weights)
        return self.linear(f'{name}.out_proj', context), weights

    def ssru(self, name, x):
        """x [T, D] -> [T, D]: f = sigmoid(W_f x + b), c_t = f c_(t-1) + (1 - f) W x, relu(c_t); c starts as zeros."""
        forget = 1 / (1 + np.exp(-self.linear(f'{name}.forget', x)))
        candidate = self.matrices[f'{name}.candidate.weight'].apply(x)
        cell, out = np.zeros(x.shape[1]), np.zeros_like(x)
        for t in range(len(x)):
            cell = forget[t] * cell + (1 - forget[t]) * candidate[t]
            out[t] = np.maximum(cell, 0)
        return out

    def look_back(self, layer, x):
        """x [T, D] -> [T, D]: the part of a decoder layer in which a position sees the ones before it, with its norm."""
        if self.has_ssru:
            return self.sublayer(self.decoder, f'{layer}.ssru_layer_norm', x, lambda y: self.ssru(f'{layer}.ssru', y))
        return self.self_attend(self.decoder, layer, x)

    def self_attend(self, side, layer, x):
        """x [R, D] -> [R, D]"""
        return self.sublayer(side, f'{layer}.self_attn_layer_norm', x,
                             lambda y: self.attention(side, f'{layer}.self_attn', y)[0])

    def feed_forward(self, side, layer, x):
        """x [R, D] -> [R, D]"""
        activate = ACTIVATIONS[self.config['activation_function']]
        x = self.sublayer(side, f'{layer}.final_layer_norm', x,
                          lambda y: self.linear(f'{layer}.fc2', activate(self.linear(f'{layer}.fc1', y))))
        self.watch(layer, x)
        return x

    def finish(self, side, x):
        """What stands behind the last layer of a side."""
        if not side.final_norm:
            return x
        x = self.norm(side.name + '.layer_norm', x)
        self.watch(side.name + '.layer_norm', x)
        return x

    def encode(self, ids):
        """ids [S] (eos last) -> memory [S, M]"""
        x = self.embed(self.encoder, self.source_embedding, ids)
        for i in self.encoder.layers:
            layer = f'model.encoder.layers.{i}'
            x = self.self_attend(self.encoder, layer, x)
            x = self.feed_forward(self.encoder, layer, x)
        return self.finish(self.encoder, x)

    def decode(self, prefix, memory, last_only=False):
        """prefix [T-1] target ids so far -> logits [T, V] (last_only: [1, V]), the last layer's cross-attention [H, T, S].

        Nothing is cached here.
        """
        start = self.config.get('decoder_start_token_id') if self.config.get('decoder_start', 'zero') == 'token' else None
        x, found = self.embed(self.decoder, self.embedding, [start, *prefix]), []

        def look(y, layer):
            context, weights = self.attention(self.decoder, f'{layer}.encoder_attn', y, memory)
            found.append(weights)
            return context
        for i in self.decoder.layers:
            layer = f'model.decoder.layers.{i}'
            x = self.look_back(layer, x)
            x = self.sublayer(self.decoder, f'{layer}.encoder_attn_layer_norm', x, lambda y, layer=layer: look(y, layer))
            x = self.feed_forward(self.decoder, layer, x)
        x = self.finish(self.decoder, x[-1:] if last_only else x)
        return self.output.apply(x) + self.vectors.get('final_logits_bias', 0), found[-1]

    def score(self, ids, target):
        """ids [S] (eos last), target ids [T] without eos -> log p of each and of eos [T + 1], given those before it."""
        logits = self.decode(target, self.encode(ids))[0]
        return (logits - log_normaliser(logits)[:, None])[np.arange(len(target) + 1), target + [EOS]]

    def limit(self, source_length):
        """The most target tokens (eos not counted) for a source of that many (eos counted)."""
        positions = self.config.get('max_target_positions', self.config.get('max_position_embeddings', 512))
        return min(2 * source_length + 16, positions, 512)

    def force_first(self, out, logits):
        """Rule out, in logits [V], all but the token that every translation begins with, if there is one."""
        forced = self.config.get('forced_bos_token_id')
        if forced is not None and not out:
            kept = logits[forced]
            logits[:] = -np.inf
            logits[forced] = kept

    def greedy(self, ids):
        """ids [S] (eos last) -> target ids without eos"""
        memory, out, allowed = self.encode(ids), [], allowed_repetitions(ids)
        while len(out) < self.limit(len(ids)):
            logits = self.decode(out, memory, last_only=True)[0][0]
            self.force_first(out, logits)
            forbid_repetition(out, allowed, logits)
            best = int(logits.argmax())
            if best == self.eos:
                break
            out.append(best)
        return out

    def beam(self, ids, width):
        """Beam search, score = sum of log p / length (which counts eos). Returns [(ids, score)], best first."""
        memory, live, done, allowed = self.encode(ids), [([], 0.0)], [], allowed_repetitions(ids)
        limit = self.limit(len(ids))
        for _ in range(limit):
            candidates = []
            for out, score in live:
                logits = self.decode(out, memory, last_only=True)[0]
                log_p = (logits - log_normaliser(logits)[:, None])[0]
                self.force_first(out, log_p)
                forbid_repetition(out, allowed, log_p)
                candidates += [(out + [int(token)], score + float(log_p[token]))
                               for token in np.argpartition(-log_p, 2 * width)[:2 * width]]
            candidates.sort(key=lambda c: -c[1])
            live = []
            for out, score in candidates[:2 * width]:
                if out[-1] == self.eos:
                    done.append((out[:-1], score / len(out)))
                elif len(live) < width:
                    live.append((out, score))
            done.sort(key=lambda c: -c[1])
            if len(done) >= width and done[0][1] >= live[0][1] / (len(live[0][0]) + 1):
                break
        return done[:width] or [(out, score / (len(out) + 1)) for out, score in live[:1]]


LONGEST_STRETCH = 24    # tokens


def allowed_repetitions(source):
    """How often in a row a stretch of tokens may stand in a translation: three times, or two more than in the source."""
    most = 0
    for stretch in range(1, LONGEST_STRETCH + 1):
        same = 0
        for before, token in zip(source, source[stretch:], strict=False):
            same = same + 1 if token == before else 0
            most = max(most, 1 + same // stretch)
    return max(3, most + 2)


def forbid_repetition(out, allowed, logits):
    """Rule out, in logits [V], the tokens that would make a stretch stand more than `allowed` times at the end of `out`."""
    for stretch in range(1, LONGEST_STRETCH + 1):
        count = stretch * (allowed + 1) - 1
        tail = out[-count:]
        if len(tail) == count and tail[stretch:] == tail[:-stretch]:
            logits[out[-stretch]] = -np.inf


def load_vocabulary(folder):
    """The SentencePiece processor of a model folder with one vocabulary for both sides."""
    return sentencepiece.SentencePieceProcessor(model_file=os.path.join(folder, 'vocab.spm'))


def load_vocabularies(folder):
    """The processors of source and target."""
    if os.path.exists(os.path.join(folder, 'vocab.spm')):
        return (load_vocabulary(folder),) * 2
    return tuple(sentencepiece.SentencePieceProcessor(model_file=os.path.join(folder, side + '.spm'))
                 for side in ('source', 'target'))


def main():
    parser = argparse.ArgumentParser(description='translate lines of stdin with the reference model')
    parser.add_argument('folder')
    parser.add_argument('--beam', type=int, default=1)
    parser.add_argument('--int8', action='store_true', help='integer products, exactly as the int8 core')
    parser.add_argument('--score', action='store_true', help='log-probabilities of translations that are given')
    args = parser.parse_args()
    (source, target), model = load_vocabularies(args.folder), Model(args.folder, args.int8)
    for line in sys.stdin:
        if args.score:
            text, translation = line.rstrip('\n').split('\t')
            print(model.score(source.encode(text) + [EOS], target.encode(translation)).sum(), flush=True)
            continue
        ids = source.encode(line.rstrip('\n')) + [EOS]
        out = model.greedy(ids) if args.beam == 1 else model.beam(ids, args.beam)[0][0]
        print(target.decode(out), flush=True)


if __name__ == '__main__':
    main()
