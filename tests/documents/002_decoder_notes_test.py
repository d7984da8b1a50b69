#!/usr/bin/python3
"""Document 002, "04_Decoder" (notes in Korean, PyTorch): its decoder and Dragoman give the same numbers and the same weights.

Masks are true where a key may be seen: key_pad_mask [B, S] and causal_mask [T, T] are joined by "and", and scores become
-inf elsewhere. The layer returns the weights of both attentions. Batch, heads and length are those of its example: 2, 4 and
10. The text leaves open: the activation (here GELU), the widths, the output layer (here the embedding).
"""
import math
import unittest

import numpy as np
import torch
from document import PAD, SOS, DocumentTest, padded, sentences, sinusoids
from torch import nn

BATCH, HEADS, LENGTH = 2, 4, 10
HIDDEN, INTERMEDIATE, LAYERS = 128, 512, 2
SIZES = 40, 36


class MultiHeadAttention(nn.Module):
    """Query of one input, key and value of another; returns context, weights and masked scores."""

    def __init__(self, is_cross_attn=False):
        super().__init__()
        self.is_cross_attn = is_cross_attn
        self.linear_q, self.linear_k, self.linear_v, self.linear_out = (nn.Linear(HIDDEN, HIDDEN) for _ in range(4))

    def forward(self, query, key, value, key_pad_mask=None, causal_mask=None):
        if self.is_cross_attn and causal_mask is not None:
            raise ValueError('a cross-attention knows no causal mask')

        def split(x):
            return x.view(*x.shape[:2], HEADS, HIDDEN // HEADS).transpose(1, 2)
        q, k, v = split(self.linear_q(query)), split(self.linear_k(key)), split(self.linear_v(value))
        scores = q @ k.transpose(-2, -1) / math.sqrt(HIDDEN // HEADS)
        mask = self.combined_mask(key_pad_mask, causal_mask)
        if mask is not None:
            scores = scores.masked_fill(mask.logical_not(), float('-inf'))
        weights = torch.softmax(scores, -1)
        return self.linear_out((weights @ v).transpose(1, 2).reshape(query.shape)), weights, scores

    @staticmethod
    def combined_mask(key_pad_mask, causal_mask):
        """[B, S], [T, T] -> [B, 1, T, S] or what of that is given"""
        if key_pad_mask is not None:
            key_pad_mask = key_pad_mask[:, None, None, :].bool()
        if causal_mask is not None:
            causal_mask = causal_mask[None, None].bool()
        if key_pad_mask is not None and causal_mask is not None:
            return key_pad_mask & causal_mask
        return key_pad_mask if causal_mask is None else causal_mask


class FeedForward(nn.Module):
    """Two layers and an activation."""

    def __init__(self):
        super().__init__()
        self.linear_1, self.linear_2 = nn.Linear(HIDDEN, INTERMEDIATE), nn.Linear(INTERMEDIATE, HIDDEN)

    def forward(self, x):
        return self.linear_2(nn.functional.gelu(self.linear_1(x)))


class EncoderLayer(nn.Module):
    """Self-attention and feed-forward, each with residual and layer norm behind it."""

    def __init__(self):
        super().__init__()
        self.attention, self.attn_norm = MultiHeadAttention(), nn.LayerNorm(HIDDEN)
        self.feed_forward, self.ff_norm = FeedForward(), nn.LayerNorm(HIDDEN)

    def forward(self, x, enc_pad_mask):
        x = self.attn_norm(x + self.attention(x, x, x, key_pad_mask=enc_pad_mask)[0])
        return self.ff_norm(x + self.feed_forward(x))


class DecoderLayer(nn.Module):
    """Returns its output and the weights of both attentions."""

    def __init__(self):
        super().__init__()
        self.s_attention, self.c_attention = MultiHeadAttention(), MultiHeadAttention(is_cross_attn=True)
        self.s_attn_norm, self.c_attn_norm = nn.LayerNorm(HIDDEN), nn.LayerNorm(HIDDEN)
        self.feed_forward, self.ff_norm = FeedForward(), nn.LayerNorm(HIDDEN)

    def forward(self, x, enc_output, dec_pad_mask, dec_causal_mask, enc_pad_mask):
        y, s_weights, _ = self.s_attention(x, x, x, dec_pad_mask, dec_causal_mask)
        x = self.s_attn_norm(x + y)
        y, c_weights, _ = self.c_attention(x, enc_output, enc_output, enc_pad_mask)
        x = self.c_attn_norm(x + y)
        return self.ff_norm(x + self.feed_forward(x)), s_weights, c_weights


class SideModel(nn.Module):
    """Embedding, positions and layers."""

    def __init__(self, name, layer, vocabulary):
        super().__init__()
        self.embedding, stack = nn.Embedding(vocabulary, HIDDEN), nn.Module()
        stack.layers = nn.ModuleList(layer() for _ in range(LAYERS))
        setattr(self, name, stack)

    def embed(self, ids):
        """[B, L] -> [B, L, D]"""
        x = self.embedding(ids)
        return x + sinusoids(ids.shape[1], HIDDEN).to(x)


class Seq2Seq(nn.Module):
    """encoder_model and decoder_model."""

    def __init__(self):
        super().__init__()
        self.encoder_model = SideModel('encoder', EncoderLayer, SIZES[0])
        self.decoder_model = SideModel('decoder', DecoderLayer, SIZES[1])

    def encode(self, ids, enc_pad_mask=None):
        """[B, S] -> [B, S, D]"""
        x = self.encoder_model.embed(ids)
        for layer in self.encoder_model.encoder.layers:
            x = layer(x, enc_pad_mask)
        return x

    def decode(self, ids, enc_output, dec_pad_mask=None, dec_causal_mask=None, enc_pad_mask=None):
        """[B, T] -> states, weights of both attentions a layer"""
        states, weights = [self.decoder_model.embed(ids)], []
        for layer in self.decoder_model.decoder.layers:
            x, *both = layer(states[-1], enc_output, dec_pad_mask, dec_causal_mask, enc_pad_mask)
            states.append(x)
            weights.append(both)
        return states, weights

    def log_p(self, states):
        """[B, T, D] -> [B, T, V]"""
        return torch.log_softmax(states[-1] @ self.decoder_model.embedding.weight.T, -1)


def create_causal_mask(length):
    """[T, T], 1 where a query may look"""
    return torch.tril(torch.ones(length, length))


class DecoderNotes(DocumentTest):

    def test_002_masks_and_weights(self):
        torch.manual_seed(2)
        module = Seq2Seq().eval()
        folder = self.convert_state(self.save(module), 'decoder-notes.json', *SIZES)
        rng = np.random.default_rng(2)
        sources, targets = sentences(rng, SIZES[0], (9, 4)), sentences(rng, SIZES[1], (6, 10))
        inputs = [[SOS, *target[:-2]] for target in targets]
        source, target = padded(sources, LENGTH), padded(inputs, LENGTH)
        masks = {'dec_pad_mask': target != PAD, 'dec_causal_mask': create_causal_mask(LENGTH), 'enc_pad_mask': source != PAD}
        with torch.no_grad():
            memory = module.encode(source, masks['enc_pad_mask'])
            states, weights = module.decode(target, memory, **masks)
            log_p = module.log_p(states)
            for i in range(BATCH):
                count = len(inputs[i])
                seen = self.inspect(folder, sources[i], inputs[i][1:])
                self.close(seen.memory, memory[i, :len(sources[i])], 'memory')
                self.close(seen.log_p, log_p[i, :count], 'all at once, both masks')
                self.compare_inside(seen, states, weights, i)
                one = torch.tensor(sources[i:i + 1])
                alone = module.encode(one)
                self.close(seen.memory, alone[0], 'memory, without a mask')
                unpadded, _ = module.decode(torch.tensor(inputs[i:i + 1]), alone, dec_causal_mask=create_causal_mask(count))
                self.close(seen.log_p, module.log_p(unpadded)[0], 'the causal mask alone')
                self.check_core(folder, sources[i], lambda ids, alone=alone: module.log_p(module.decode(
                    torch.tensor([ids]), alone, dec_causal_mask=create_causal_mask(len(ids)))[0])[0])
                for step in range(1, count + 1):
                    so_far, _ = module.decode(torch.tensor([inputs[i][:step]]), alone, dec_causal_mask=create_causal_mask(step))
                    self.close(seen.log_p[step - 1], module.log_p(so_far)[0, -1], f'step {step}')

    def test_002_one_layer_without_any_mask(self):
        """Without a causal mask only the last position of one layer sees what it would see with it."""
        torch.manual_seed(3)
        module = Seq2Seq().eval()
        for model in (module.encoder_model.encoder, module.decoder_model.decoder):
            model.layers = model.layers[:1]
        folder = self.convert_state(self.save(module), 'decoder-notes.json', *SIZES)
        (source,), (target,) = (sentences(np.random.default_rng(3), size, (LENGTH,)) for size in SIZES)
        inputs = torch.tensor([[SOS, *target]])
        with torch.no_grad():
            memory = module.encode(torch.tensor([source]))
            states, weights = module.decode(inputs, memory)
            seen = self.inspect(folder, source, target)
            self.close(seen.log_p[-1], module.log_p(states)[0, -1], 'the last position, unmasked')
            self.close(seen.self_attention[0][:, -1], weights[0][0][0, :, -1], 'its weights')
            self.assertGreater(float(np.abs(seen.log_p[0] - module.log_p(states)[0, 0].numpy()).max()), 0.01)

    def test_002_cross_attention_knows_no_causal_mask(self):
        attention = MultiHeadAttention(is_cross_attn=True)
        x = torch.zeros(1, 2, HIDDEN)
        with self.assertRaises(ValueError):
            attention(x, x, x, causal_mask=create_causal_mask(2))


if __name__ == '__main__':
    unittest.main()
