#!/usr/bin/python3
"""The model, written for clarity: the definition of correct for the C++ core (numpy, float64).

usage: reference.py MODEL_DIR [--beam N] [--int8] < sentences > translations

Int8 folders run with dequantised weights, or, with --int8, with the integer products of our core (see `quantise_rows`).
Shapes: S source length, T target length, D model width, H heads, V vocabulary. One sentence at a time, no batch axis.
Source: Vaswani et al. 2017, post-norm, with Marian's conventions (sin|cos halves, zero start vector, tied embeddings);
Kim et al. 2019, "From Research to Production and Back", for decoders of SSRUs.
"""
import argparse
import json
import os
import sys

import numpy as np
import sentencepiece

import weight_file

EOS = 0
LEVELS = 127            # activations are 0..127: seven bits, what relaxed_dot_i8x16_i7x16 takes
SMALLEST_SPAN = np.float32(1e-30)   # of a row that is quantised: scale and inverse are then ordinary numbers


def softmax(x):
    """Softmax over the last axis."""
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def log_normaliser(logits):
    """[T, V] -> [T]: log of the sum of exp, so that log p = logit - this."""
    top = logits.max(-1)
    return np.log(np.exp(logits - top[..., None]).sum(-1)) + top


def quantise_rows(x):
    """[R, K] activations -> (q [R, K] integers 0..127, zero [R], scale [R]); x ~ scale * (q - zero).

    Affine per row. In float32 throughout, the zero point by a division, the values by a multiplication, as the core's
    kernel does: the rounding of a value half way between two levels is part of the contract.
    """
    x = x.astype(np.float32)
    low = np.minimum(x.min(-1), np.float32(0))
    span = np.maximum(x.max(-1), np.float32(0)) - low
    flat = span < SMALLEST_SPAN                 # as good as an all-zero row: any scale will do
    span = np.where(flat, np.float32(LEVELS), span)
    scale = span / np.float32(LEVELS)
    inverse = np.where(flat, np.float32(0), np.float32(LEVELS) / span)
    zero = np.where(flat, np.float32(0), np.rint(-low / scale))
    q = np.clip(np.rint(x * inverse[:, None]) + zero[:, None], 0, LEVELS)
    return q, zero, scale


class Matrix:
    """One weight matrix [N, K] with one scale a row when it is stored as int8."""

    def __init__(self, weight, scale, int8_products):
        """`weight` F16, F32 or I8 [N, K]; `scale` [N] or None; `int8_products`: multiply as the int8 core does."""
        stored = weight.astype(np.float64)
        self.scale = None if scale is None else scale.astype(np.float64)
        self.real = stored if scale is None else stored * self.scale[:, None]
        int8_products = int8_products and scale is not None
        self.integers = stored if int8_products else None
        self.row_sums = stored.sum(1) if int8_products else None

    def apply(self, x):
        """x [R, K] -> x W^T [R, N]. float64 holds the integer sums exactly."""
        if self.integers is None:
            return x @ self.real.T
        q, zero, scale = (a.astype(np.float64) for a in quantise_rows(x))
        sums = q @ self.integers.T - zero[:, None] * self.row_sums
        return scale[:, None] * self.scale * sums


class Model:
    """A model folder: config.json and model.safetensors (F32, F16, or int8 rows with scales)."""

    def __init__(self, folder, int8_products=False):
        with open(os.path.join(folder, 'config.json'), encoding='utf-8') as file:
            self.config = json.load(file)
        tensors, _ = weight_file.read(os.path.join(folder, 'model.safetensors'))
        shared = self.config['share_encoder_decoder_embeddings']
        tables = ['model.shared'] * 2 if shared else ['model.encoder.embed_tokens', 'model.decoder.embed_tokens']
        if int8_products and tensors[tables[0] + '.weight'].dtype != np.int8:
            raise ValueError(f'{folder}: int8 products need an int8 model')
        self.matrices = {name: Matrix(array, tensors.get(name + '_scale'), int8_products)
                         for name, array in tensors.items() if array.ndim == 2 and name.endswith('.weight')}
        self.vectors = {name: array.astype(np.float64).reshape(-1)
                        for name, array in tensors.items() if name not in self.matrices}
        self.source_embedding, self.embedding = (self.matrices[name + '.weight'] for name in tables)
        self.has_ssru = self.config.get('decoder_unit') == 'ssru'
        self.width, self.heads = self.config['d_model'], self.config['encoder_attention_heads']

    def positions(self, count):
        """[count, D]: sin of every frequency, then cos of every frequency."""
        half = self.width // 2
        frequencies = 10000.0 ** (-np.arange(half) / (half - 1))
        angles = np.arange(count)[:, None] * frequencies
        return np.concatenate([np.sin(angles), np.cos(angles)], 1)

    def linear(self, name, x):
        """[R, in] -> [R, out]"""
        return self.matrices[name + '.weight'].apply(x) + self.vectors[name + '.bias']

    def norm(self, name, x):
        """Layer norm over the last axis."""
        mean = x.mean(-1, keepdims=True)
        variance = ((x - mean) ** 2).mean(-1, keepdims=True)
        unit = (x - mean) / np.sqrt(variance + self.config['layer_norm_eps'])
        return unit * self.vectors[name + '.weight'] + self.vectors[name + '.bias']

    def attend(self, q, k, v, causal):
        """q [T, D], k and v [S, D] -> context [T, D], weights [H, T, S]"""
        rows, cols, size = len(q), len(k), self.width // self.heads

        def split(x):
            return x.reshape(len(x), self.heads, size).transpose(1, 0, 2)
        scores = split(q) @ split(k).transpose(0, 2, 1) / np.sqrt(size)
        if causal:
            scores = np.where(np.tril(np.ones((rows, cols), bool)), scores, -np.inf)
        weights = softmax(scores)
        return (weights @ split(v)).transpose(1, 0, 2).reshape(rows, self.width), weights

    def attention(self, name, x, memory, causal=False):
        """x [T, D] attends to memory [S, D] -> [T, D], weights [H, T, S]"""
        q = self.linear(f'{name}.q_proj', x)
        k = self.linear(f'{name}.k_proj', memory)
        v = self.linear(f'{name}.v_proj', memory)
        context, weights = self.attend(q, k, v, causal)
        return self.linear(f'{name}.out_proj', context), weights

    def ssru(self, name, x):
        """x [T, D] -> [T, D]: f = sigmoid(W_f x + b), c_t = f c_(t-1) + (1 - f) W x, relu(c_t); c starts as zeros."""
        forget = 1 / (1 + np.exp(-self.linear(f'{name}.forget', x)))
        candidate = self.matrices[f'{name}.candidate.weight'].apply(x)
        cell, out = np.zeros(self.width), np.zeros_like(x)
        for t in range(len(x)):
            cell = forget[t] * cell + (1 - forget[t]) * candidate[t]
            out[t] = np.maximum(cell, 0)
        return out

    def look_back(self, layer, x):
        """x [T, D] -> [T, D]: the part of a decoder layer in which a position sees the ones before it, with its norm."""
        if self.has_ssru:
            return self.norm(f'{layer}.ssru_layer_norm', x + self.ssru(f'{layer}.ssru', x))
        return self.norm(f'{layer}.self_attn_layer_norm', x + self.attention(f'{layer}.self_attn', x, x, True)[0])

    def feed_forward(self, name, x):
        """[R, D] -> [R, D]"""
        return self.linear(f'{name}.fc2', np.maximum(self.linear(f'{name}.fc1', x), 0))

    def encode(self, ids):
        """ids [S] (eos last) -> memory [S, D]"""
        x = self.source_embedding.real[ids] * np.sqrt(self.width) + self.positions(len(ids))
        for i in range(self.config['encoder_layers']):
            layer = f'model.encoder.layers.{i}'
            x = self.norm(f'{layer}.self_attn_layer_norm', x + self.attention(f'{layer}.self_attn', x, x)[0])
            x = self.norm(f'{layer}.final_layer_norm', x + self.feed_forward(layer, x))
        return x

    def decode(self, prefix, memory, last_only=False):
        """prefix [T-1] target ids so far -> logits [T, V] (last_only: [1, V]), the last layer's cross-attention [H, T, S].

        Nothing is cached here.
        """
        x = np.zeros((len(prefix) + 1, self.width))        # position 0 starts from the zero vector
        if prefix:
            x[1:] = self.embedding.real[prefix] * np.sqrt(self.width)
        x = x + self.positions(len(x))
        for i in range(self.config['decoder_layers']):
            layer = f'model.decoder.layers.{i}'
            x = self.look_back(layer, x)
            y, weights = self.attention(f'{layer}.encoder_attn', x, memory)
            x = self.norm(f'{layer}.encoder_attn_layer_norm', x + y)
            x = self.norm(f'{layer}.final_layer_norm', x + self.feed_forward(layer, x))
        if last_only:
            x = x[-1:]
        return self.embedding.apply(x) + self.vectors['final_logits_bias'], weights

    @staticmethod
    def limit(source_length):
        """The most target tokens (eos not counted) for a source of that many (eos counted)."""
        return 2 * source_length + 16

    def greedy(self, ids):
        """ids [S] (eos last) -> target ids without eos"""
        memory, out, allowed = self.encode(ids), [], allowed_repetitions(ids)
        while len(out) < self.limit(len(ids)):
            logits = self.decode(out, memory, last_only=True)[0][0]
            forbid_repetition(out, allowed, logits)
            best = int(logits.argmax())
            if best == EOS:
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
                forbid_repetition(out, allowed, log_p)
                candidates += [(out + [int(token)], score + float(log_p[token]))
                               for token in np.argpartition(-log_p, 2 * width)[:2 * width]]
            candidates.sort(key=lambda c: -c[1])
            live = []
            for out, score in candidates[:2 * width]:
                if out[-1] == EOS:
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
    args = parser.parse_args()
    (source, target), model = load_vocabularies(args.folder), Model(args.folder, args.int8)
    for line in sys.stdin:
        ids = source.encode(line.rstrip('\n')) + [EOS]
        out = model.greedy(ids) if args.beam == 1 else model.beam(ids, args.beam)[0][0]
        print(target.decode(out), flush=True)


if __name__ == '__main__':
    main()
