#!/usr/bin/python3
"""Document 000, "Transformer Decoder" (English to Persian, PyTorch): its decoder and Dragoman give the same numbers.

One layer makes query, key and value, whose outputs lie head by head; a layer norm divides by the standard deviation +
epsilon; masks are added to scores. Sizes are those of its test: 4 layers of width 512 with 8 heads, feed-forward 2048,
batches padded to 256. The text has the encoder give keys and values of the cross-attention, which its listing does not (it
makes all three of one input): this is written after the text.
"""
import math
import unittest

import numpy as np
import torch
from document import PAD, SOS, DocumentTest, padded, sentences, sinusoids
from torch import nn

WIDTH, HEADS, HIDDEN, LAYERS, LENGTH = 512, 8, 2048, 4, 256
SIZES = 60, 50


def scaled_attention(q, k, v, mask):
    """softmax(Q K^T / sqrt(d_k) + M) V; mask [B, T, S] or none"""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    weights = torch.softmax(scores if mask is None else scores + mask.unsqueeze(1), -1)
    return weights @ v, weights


class MultiHeadedAttention(nn.Module):
    """qkv_extractor makes, for each head, its query, key and value."""

    def __init__(self):
        super().__init__()
        self.qkv_extractor, self.qkv_connector = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x, mask):
        qkv = self.qkv_extractor(x).reshape(*x.shape[:2], HEADS, 3 * WIDTH // HEADS).permute(0, 2, 1, 3)
        y, weights = scaled_attention(*qkv.chunk(3, -1), mask)
        return self.qkv_connector(y.permute(0, 2, 1, 3).reshape(x.shape)), weights


class MultiHeadedCrossAttention(nn.Module):
    """The query of the decoder's y, key and value of the encoder's x."""

    def __init__(self):
        super().__init__()
        self.kv_extractor, self.q_extractor = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.qkv_connector = nn.Linear(WIDTH, WIDTH)

    def forward(self, x, y, mask):
        k, v = self.kv_extractor(x).reshape(*x.shape[:2], HEADS, 2 * WIDTH // HEADS).permute(0, 2, 1, 3).chunk(2, -1)
        q = self.q_extractor(y).reshape(*y.shape[:2], HEADS, WIDTH // HEADS).permute(0, 2, 1, 3)
        z, weights = scaled_attention(q, k, v, mask)
        return self.qkv_connector(z.permute(0, 2, 1, 3).reshape(y.shape)), weights


class LayerNorm(nn.Module):
    """gamma (x - mean) / (std + epsilon) + beta"""

    def __init__(self):
        super().__init__()
        self.gamma, self.beta = nn.Parameter(torch.ones(WIDTH)), nn.Parameter(torch.zeros(WIDTH))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        std = ((x - mean) ** 2).mean(-1, keepdim=True).sqrt() + 1e-6
        return self.gamma * (x - mean) / std + self.beta


class FeedForward(nn.Module):
    """Two layers and a ReLU."""

    def __init__(self):
        super().__init__()
        self.lin_lay_1, self.lin_lay_2 = nn.Linear(WIDTH, HIDDEN), nn.Linear(HIDDEN, WIDTH)

    def forward(self, x):
        return self.lin_lay_2(torch.relu(self.lin_lay_1(x)))


class EncoderUnit(nn.Module):
    """The decoder's without cross-attention."""

    def __init__(self):
        super().__init__()
        self.self_attention, self.layer_norm_1 = MultiHeadedAttention(), LayerNorm()
        self.feed_forward, self.layer_norm_2 = FeedForward(), LayerNorm()

    def forward(self, x, mask):
        x = self.layer_norm_1(self.self_attention(x, mask)[0] + x)
        return self.layer_norm_2(self.feed_forward(x) + x)


class DecoderUnit(nn.Module):
    """Masked self-attention, cross-attention, feed-forward, each with a skip connection and a layer norm behind it."""

    def __init__(self):
        super().__init__()
        self.self_attention, self.layer_norm_1 = MultiHeadedAttention(), LayerNorm()
        self.cross_attention, self.layer_norm_2 = MultiHeadedCrossAttention(), LayerNorm()
        self.feed_forward, self.layer_norm_3 = FeedForward(), LayerNorm()

    def forward(self, x, y, mask, cross_mask):
        z, weights = self.self_attention(y, mask)
        y = self.layer_norm_1(z + y)
        z, cross_weights = self.cross_attention(x, y, cross_mask)
        y = self.layer_norm_2(z + y)
        return self.layer_norm_3(self.feed_forward(y) + y), weights, cross_weights


class Side(nn.Module):
    """Embedding, positions, units; called encoder.encoder and decoder.decoder, as in the document."""

    def __init__(self, name, unit, vocabulary):
        super().__init__()
        self.embedding = nn.Module()
        self.embedding.embedding = nn.Embedding(vocabulary, WIDTH)
        self.units = name
        setattr(self, name, nn.ModuleList(unit() for _ in range(LAYERS)))

    def embed(self, ids):
        """[B, L] -> [B, L, D]"""
        x = self.embedding.embedding(ids)
        return x + sinusoids(ids.shape[1], WIDTH).to(x)


class Transformer(nn.Module):
    """Encoder, decoder and the output layer of the document that follows."""

    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = Side('encoder', EncoderUnit, SIZES[0]), Side('decoder', DecoderUnit, SIZES[1])
        self.linear = nn.Linear(WIDTH, SIZES[1])

    def encode(self, source, mask):
        """[B, S] -> [B, S, D]"""
        x = self.encoder.embed(source)
        for unit in self.encoder.encoder:
            x = unit(x, mask)
        return x

    def decode(self, target, memory, mask, cross_mask):
        """[B, T] -> states of the embedding and of each unit, their attentions, logits [B, T, V]"""
        states, attentions = [self.decoder.embed(target)], []
        for unit in self.decoder.decoder:
            y, *weights = unit(memory, states[-1], mask, cross_mask)
            states.append(y)
            attentions.append(weights)
        return states, attentions, self.linear(states[-1])


def generate_masks(source, target):
    """The encoder's, the decoder's and the cross-attention's [B, T, S]: -1e9 for padding and for what lies ahead, else 0.

    A finite number: where a row is padding all of it is masked, and a softmax of nothing but -inf is no number.
    """
    def hidden(rows, keys):
        return (keys == PAD)[:, None, :].expand(-1, rows.shape[1], -1)
    ahead = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool).triu(1)
    masks = hidden(source, source), hidden(target, target) | ahead, hidden(target, source)
    return [torch.where(mask, -1e9, 0.0) for mask in masks]


class EnFaDecoder(DocumentTest):

    @staticmethod
    def log_p(module, ids, memory, source):
        """[T, V], nothing masked but what lies ahead"""
        ids = torch.tensor([ids])
        with torch.no_grad():
            return torch.log_softmax(module.decode(ids, memory, generate_masks(source, ids)[1], None)[2][0], -1)

    def test_000_decoder(self):
        torch.manual_seed(1)
        module = Transformer().eval()
        for name, parameter in module.named_parameters():       # untrained norms would hide a mistake
            if name.endswith(('gamma', 'beta')):
                parameter.data += 0.2 * torch.randn_like(parameter)
        folder = self.convert_state(self.save(module), 'en-fa-decoder.json', *SIZES)
        rng = np.random.default_rng(1)
        sources, targets = sentences(rng, SIZES[0], (5, 9)), sentences(rng, SIZES[1], (7, 3))
        inputs = [[SOS, *target[:-1]] for target in targets]
        source, target = padded(sources, LENGTH), padded(inputs, LENGTH)
        mask, target_mask, cross_mask = generate_masks(source, target)
        with torch.no_grad():
            memory = module.encode(source, mask)
            _, _, logits = module.decode(target, memory, target_mask, cross_mask)
        for i in range(2):
            count = len(inputs[i])
            seen = self.inspect(folder, sources[i], targets[i][:-1])
            self.close(seen.memory, memory[i, :len(sources[i])], 'memory')
            self.close(seen.log_p, torch.log_softmax(logits[i, :count], -1), 'all at once, padded and masked')
            with torch.no_grad():       # alone: nothing to hide but what lies ahead; then step by step, where nothing is
                alone = module.encode(torch.tensor(sources[i:i + 1]), None)
                self.close(seen.memory, alone[0], 'memory, without a mask')
                for step in range(1, count + 1):
                    states, attentions, one = module.decode(torch.tensor([inputs[i][:step]]), alone, generate_masks(
                        source[i:i + 1], torch.tensor([inputs[i][:step]]))[1], None)
                    self.close(seen.log_p[step - 1], torch.log_softmax(one[0, -1], -1), f'step {step}')
            self.compare_inside(seen, states, attentions)
            if i == 1:
                self.check_core(folder, sources[i], lambda ids, alone=alone, i=i: self.log_p(module, ids, alone, source[i:i + 1]))


if __name__ == '__main__':
    unittest.main()
