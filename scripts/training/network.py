"""The translation model in PyTorch. Modules are named as MarianMT names them, so that the state is the weight file.

Shapes: B sentences, S source length, T target length, D width, H heads, V vocabulary. All sources of a batch have one
length, so there is no padding on the source side and no mask for it; padding at a target's end is hidden by causality.
Post-norm, sin|cos position halves, zero start vector, tied embeddings, a decoder of self-attention or of SSRUs: the same as
scripts/models/reference.py.
"""
import json
import math
import os

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

import weight_file

EOS = 0


def positions(count, width):
    """[count, D]: sin of every frequency, then cos of every frequency."""
    frequencies = 10000.0 ** (-np.arange(width // 2) / (width // 2 - 1))
    angles = np.arange(count)[:, None] * frequencies
    return torch.tensor(np.concatenate([np.sin(angles), np.cos(angles)], 1), dtype=torch.float32)


def linear(inputs, outputs):
    """A linear layer, Glorot-initialised, its bias zero."""
    layer = nn.Linear(inputs, outputs)
    nn.init.xavier_uniform_(layer.weight)
    nn.init.zeros_(layer.bias)
    return layer


class Attention(nn.Module):
    """Multi-head attention, [B, T, D] over [B, S, D] -> [B, T, D]."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (linear(width, width) for _ in range(4))

    def split(self, x):
        """[B, L, D] -> [B, H, L, D / H]"""
        return x.view(x.shape[0], x.shape[1], self.heads, -1).transpose(1, 2)

    def forward(self, x, memory, causal=False):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(memory)), self.split(self.v_proj(memory))
        scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[-1])
        if causal:
            ahead = torch.ones(scores.shape[-2:], dtype=torch.bool, device=x.device).triu(1)
            scores = scores.masked_fill(ahead, float('-inf'))
        context = torch.softmax(scores, -1).to(v.dtype) @ v
        return self.out_proj(context.transpose(1, 2).reshape(x.shape))


class Ssru(nn.Module):
    """Kim et al. 2019: [B, T, D] -> [B, T, D], each position after the one before it."""

    def __init__(self, width):
        super().__init__()
        self.forget, self.candidate = linear(width, width), nn.Linear(width, width, bias=False)
        nn.init.xavier_uniform_(self.candidate.weight)

    def forward(self, x):
        forget = torch.sigmoid(self.forget(x))
        new, cell, cells = (1 - forget) * self.candidate(x), torch.zeros_like(x[:, 0]), []
        for t in range(x.shape[1]):
            cell = forget[:, t] * cell + new[:, t]
            cells.append(cell)
        return F.relu(torch.stack(cells, 1))


class Layer(nn.Module):
    """What layers of both sides have: the feed-forward part."""

    def __init__(self, width, ffn, dropout):
        super().__init__()
        self.fc1, self.fc2, self.final_layer_norm = linear(width, ffn), linear(ffn, width), nn.LayerNorm(width, eps=1e-6)
        self.dropout = nn.Dropout(dropout)

    def feed_forward(self, x):
        """The second half of the layer, with its norm."""
        y = self.fc2(self.dropout(F.relu(self.fc1(x))))
        return self.final_layer_norm(x + self.dropout(y))


class EncoderLayer(Layer):
    """[B, S, D] -> [B, S, D]"""

    def __init__(self, width, heads, ffn, dropout):
        super().__init__(width, ffn, dropout)
        self.self_attn, self.self_attn_layer_norm = Attention(width, heads), nn.LayerNorm(width, eps=1e-6)

    def forward(self, x):
        x = self.self_attn_layer_norm(x + self.dropout(self.self_attn(x, x)))
        return self.feed_forward(x)


class DecoderLayer(Layer):
    """[B, T, D] over the memory [B, S, D] -> [B, T, D]"""

    def __init__(self, width, heads, ffn, dropout, has_ssru):
        super().__init__(width, ffn, dropout)
        self.has_ssru = has_ssru
        if has_ssru:
            self.ssru, self.ssru_layer_norm = Ssru(width), nn.LayerNorm(width, eps=1e-6)
        else:
            self.self_attn, self.self_attn_layer_norm = Attention(width, heads), nn.LayerNorm(width, eps=1e-6)
        self.encoder_attn, self.encoder_attn_layer_norm = Attention(width, heads), nn.LayerNorm(width, eps=1e-6)

    def look_back(self, x):
        """The part in which a position sees those before it, with its norm."""
        if self.has_ssru:
            return self.ssru_layer_norm(x + self.dropout(self.ssru(x)))
        return self.self_attn_layer_norm(x + self.dropout(self.self_attn(x, x, causal=True)))

    def forward(self, x, memory):
        x = self.look_back(x)
        x = self.encoder_attn_layer_norm(x + self.dropout(self.encoder_attn(x, memory)))
        return self.feed_forward(x)


class Stack(nn.Module):
    """Layers under the name that MarianMT gives them."""

    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)


class Translator(nn.Module):
    """The whole model; `config` is config.json's content."""

    def __init__(self, config, dropout):
        super().__init__()
        self.config, self.width = config, config['d_model']
        heads, ffn = config['encoder_attention_heads'], config['encoder_ffn_dim']
        self.model = nn.Module()
        self.model.shared = nn.Embedding(config['vocab_size'], self.width)
        nn.init.normal_(self.model.shared.weight, std=self.width ** -0.5)
        self.model.encoder = Stack(EncoderLayer(self.width, heads, ffn, dropout) for _ in range(config['encoder_layers']))
        has_ssru = config.get('decoder_unit') == 'ssru'
        self.model.decoder = Stack(DecoderLayer(self.width, heads, ffn, dropout, has_ssru)
                                   for _ in range(config['decoder_layers']))
        self.final_logits_bias = nn.Parameter(torch.zeros(config['vocab_size']))
        self.register_buffer('positions', positions(512, self.width), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def embed(self, ids):
        """ids [B, L] -> [B, L, D], scaled, without positions"""
        return self.model.shared(ids) * math.sqrt(self.width)

    def encode(self, source):
        """source ids [B, S] (eos last) -> memory [B, S, D]"""
        x = self.dropout(self.embed(source) + self.positions[:source.shape[1]])
        for layer in self.model.encoder.layers:
            x = layer(x)
        return x

    def decode(self, target, memory):
        """target ids [B, T] -> [B, T, D], row t made from the targets before t; the output product is the loss's part"""
        x = F.pad(self.embed(target[:, :-1]), (0, 0, 1, 0))        # the decoder starts from a zero vector
        x = self.dropout(x + self.positions[:target.shape[1]])
        for layer in self.model.decoder.layers:
            x = layer(x, memory)
        return x


def save(model, vocabulary_path, folder):
    """Write a model folder, F16. The weights take their place last and at once: a reader never sees half of them."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, 'config.json'), 'w', encoding='utf-8') as file:
        json.dump(model.config, file, indent=1)
    with open(vocabulary_path, 'rb') as source, open(os.path.join(folder, 'vocab.spm'), 'wb') as target:
        target.write(source.read())
    path = os.path.join(folder, 'model.safetensors')
    tensors = {name: tensor.half().cpu().numpy() for name, tensor in model.state_dict().items()}
    weight_file.write(path + '.part', tensors, 'pt')
    os.replace(path + '.part', path)


def load(model, folder):
    """Go on from the weights of a model folder, float or int8; from one with another decoder unit, from what both have."""
    weights = weight_file.read_weights(os.path.join(folder, 'model.safetensors'))
    state = {name: torch.from_numpy(array) for name, array in weights.items()}
    with open(os.path.join(folder, 'config.json'), encoding='utf-8') as file:
        same = json.load(file).get('decoder_unit') == model.config.get('decoder_unit')
    common = state if same else {name: tensor for name, tensor in state.items() if name in model.state_dict()}
    model.load_state_dict(common, strict=same)
