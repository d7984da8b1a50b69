"""The models that the converters read, in PyTorch, with the modules' names that Hugging Face and fairseq give them, so that
`state_dict()` has their layout. Small and random; float64, so that what differs is the core's rounding.

Shapes: B sentences, S source length, T target length, D width, H heads, V vocabulary.
"""
import math

import torch
import torch.nn.functional as F
from torch import nn

ACTIVATIONS = {'relu': F.relu, 'gelu': F.gelu, 'swish': F.silu,
               'gelu_accurate': lambda x: 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))}


class Attention(nn.Module):
    """[B, T, D] over [B, S, M] -> [B, T, D], weights [B, H, T, S]"""

    def __init__(self, width, heads, memory=None):
        super().__init__()
        self.heads = heads
        self.k_proj, self.v_proj = nn.Linear(memory or width, width), nn.Linear(memory or width, width)
        self.q_proj, self.out_proj = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, x, memory, hidden):
        """hidden: bool, broadcast to [B, H, T, S], true where a key must not be seen"""
        def split(y):
            return y.view(*y.shape[:2], self.heads, -1).transpose(1, 2)
        q, k, v = split(self.q_proj(x)), split(self.k_proj(memory)), split(self.v_proj(memory))
        scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[-1])
        weights = scores.masked_fill(hidden, float('-inf')).softmax(-1)
        return self.out_proj((weights @ v).transpose(1, 2).reshape(x.shape)), weights


class Layer(nn.Module):
    """Of either side; one with a memory is a decoder's."""

    def __init__(self, width, heads, ffn, activation, norm_first, memory=None):
        super().__init__()
        self.self_attn, self.self_attn_layer_norm = Attention(width, heads), nn.LayerNorm(width)
        if memory:
            self.encoder_attn, self.encoder_attn_layer_norm = Attention(width, heads, memory), nn.LayerNorm(width)
        self.fc1, self.fc2, self.final_layer_norm = nn.Linear(width, ffn), nn.Linear(ffn, width), nn.LayerNorm(width)
        self.activation, self.norm_first = ACTIVATIONS[activation], norm_first

    def sublayer(self, norm, x, f):
        """A residual connection around f, its norm before or behind."""
        return x + f(norm(x)) if self.norm_first else norm(x + f(x))

    def forward(self, x, hidden, memory=None, memory_hidden=None):
        """[B, T, D] -> [B, T, D], cross-attention [B, H, T, S]"""
        found = []

        def look(y):
            context, weights = self.encoder_attn(y, memory, memory_hidden)
            found.append(weights)
            return context
        x = self.sublayer(self.self_attn_layer_norm, x, lambda y: self.self_attn(y, y, hidden)[0])
        if memory is not None:
            x = self.sublayer(self.encoder_attn_layer_norm, x, look)
        x = self.sublayer(self.final_layer_norm, x, lambda y: self.fc2(self.activation(self.fc1(y))))
        return x, (found or [None])[0]


def hidden_keys(padding):
    """[B, S], true for padding -> [B, 1, 1, S]"""
    return padding[:, None, None, :]


def ahead(length):
    """[1, 1, T, T], true where a key is behind the query's position."""
    return torch.ones(length, length, dtype=torch.bool).triu(1)[None, None]


def randomise(model, seed):
    """Weights with which attention is peaked and outputs vary."""
    rng = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            noise = torch.randn(parameter.shape, generator=rng, dtype=torch.float64)
            if 'norm' in name:
                parameter.copy_(noise * 0.1 + (name.endswith('weight') * 1.0))
            elif parameter.dim() < 2:
                parameter.copy_(noise * 0.1)
            elif 'embed' in name or 'shared' in name or 'lm_head' in name or 'output_projection' in name:
                parameter.copy_(noise * 0.5)
            else:
                parameter.copy_(noise * 2 / math.sqrt(parameter.shape[1]))
            parameter.copy_(parameter.float())          # what a file keeps
    return model.double().eval()


class MarianMT(nn.Module):
    """Hugging Face's MarianMTModel; `config`: the fields of its config.json."""

    def __init__(self, config):
        super().__init__()
        width, activation = config['d_model'], config['activation_function']
        self.config, self.model = config, nn.Module()
        if config.get('share_encoder_decoder_embeddings', True):
            self.model.shared = nn.Embedding(config['vocab_size'], width)
        for side in ('encoder', 'decoder'):
            stack = nn.Module()
            size = config['vocab_size'] if side == 'encoder' else config.get('decoder_vocab_size') or config['vocab_size']
            stack.embed_tokens = getattr(self.model, 'shared', None) or nn.Embedding(size, width)
            stack.layers = nn.ModuleList(
                Layer(width, config[f'{side}_attention_heads'], config[f'{side}_ffn_dim'], activation, False,
                      width if side == 'decoder' else None) for _ in range(config[f'{side}_layers']))
            setattr(self.model, side, stack)
        self.lm_head = nn.Linear(width, self.model.decoder.embed_tokens.num_embeddings, bias=False)
        self.lm_head.weight = self.model.decoder.embed_tokens.weight
        self.register_buffer('final_logits_bias', torch.zeros(1, self.lm_head.out_features))

    def randomise(self, seed):
        """Weights, bias and the row of zeros that is <pad>."""
        randomise(self, seed)
        bias = torch.randn(self.final_logits_bias.shape, generator=torch.Generator().manual_seed(seed)) * 0.3
        bias[0, self.config['pad_token_id']] = 0
        self.final_logits_bias.copy_(bias)
        for side in (self.model.encoder, self.model.decoder):
            side.embed_tokens.weight.data[self.config['pad_token_id']] = 0
        return self

    def embed(self, side, ids):
        """[B, L] -> [B, L, D]; the i-th of D/2 frequencies is 10000^(-2i/D), sines before cosines"""
        x = side.embed_tokens(ids) * (math.sqrt(self.config['d_model']) if self.config['scale_embedding'] else 1)
        angles = torch.arange(ids.shape[1])[:, None] * 10000 ** (-torch.arange(0, x.shape[-1], 2).double() / x.shape[-1])
        return x + torch.cat([angles.sin(), angles.cos()], 1)

    def forward(self, source, target):
        """source [B, S] (eos, then padding), target [B, T] (the start first) -> logits [B, T, V]"""
        hidden = hidden_keys(source == self.config['pad_token_id'])
        memory = self.embed(self.model.encoder, source)
        for layer in self.model.encoder.layers:
            memory, _ = layer(memory, hidden)
        x = self.embed(self.model.decoder, target)
        for layer in self.model.decoder.layers:
            x, _ = layer(x, ahead(target.shape[1]), memory, hidden)
        return self.lm_head(x) + self.final_logits_bias


class Fairseq(nn.Module):
    """fairseq's TransformerModel; `options`: the names of its command line."""

    PAD, EOS = 1, 2

    def __init__(self, options, source_size, target_size):
        super().__init__()
        self.options = options
        for side, size in (('encoder', source_size), ('decoder', target_size)):
            width = options[f'{side}_embed_dim']
            stack = nn.Module()
            stack.embed_tokens = nn.Embedding(size, width)
            if options.get(f'{side}_learned_pos'):
                stack.embed_positions = nn.Embedding(options['max_positions'] + self.PAD + 1, width)
            stack.layers = nn.ModuleList(
                Layer(width, options[f'{side}_attention_heads'], options[f'{side}_ffn_embed_dim'], options['activation_fn'],
                      options[f'{side}_normalize_before'], options['encoder_embed_dim'] if side == 'decoder' else None)
                for _ in range(options[f'{side}_layers']))
            if options[f'{side}_normalize_before']:
                stack.layer_norm = nn.LayerNorm(width)
            if options.get('layernorm_embedding'):
                stack.layernorm_embedding = nn.LayerNorm(width)
            setattr(self, side, stack)
        self.decoder.output_projection = nn.Linear(options['decoder_embed_dim'], target_size, bias=False)
        if options.get('share_all_embeddings'):
            self.encoder.embed_tokens = self.decoder.embed_tokens
        if options.get('share_all_embeddings') or options.get('share_decoder_input_output_embed'):
            self.decoder.output_projection.weight = self.decoder.embed_tokens.weight

    def embed(self, side, ids):
        """[B, L] -> [B, L, D]; the first position has the number after the padding's"""
        x, width = side.embed_tokens(ids), side.embed_tokens.embedding_dim
        if not self.options.get('no_scale_embedding'):
            x = x * math.sqrt(width)
        numbers = torch.arange(ids.shape[1]) + self.PAD + 1
        if hasattr(side, 'embed_positions'):
            x = x + side.embed_positions(numbers)
        elif not self.options.get('no_token_positional_embeddings'):
            half = width // 2
            angles = numbers[:, None] * torch.exp(torch.arange(half).double() * -(math.log(10000) / (half - 1)))
            x = x + torch.cat([angles.sin(), angles.cos()], 1)
        return side.layernorm_embedding(x) if hasattr(side, 'layernorm_embedding') else x

    def encode(self, source):
        """[B, S] (eos, then padding) -> memory [B, S, D], the states of all layers"""
        hidden = hidden_keys(source == self.PAD)
        x, states = self.embed(self.encoder, source), []
        for layer in self.encoder.layers:
            x, _ = layer(x, hidden)
            states.append(x)
        return (self.encoder.layer_norm(x) if hasattr(self.encoder, 'layer_norm') else x), states

    def decode(self, target, memory, source):
        """[B, T] (eos first) -> logits [B, T, V], the states of all layers, cross-attention [L, B, H, T, S]"""
        x, attentions = self.embed(self.decoder, target), []
        states = [x]
        for layer in self.decoder.layers:
            x, weights = layer(x, ahead(target.shape[1]), memory, hidden_keys(source == self.PAD))
            states.append(x)
            attentions.append(weights)
        if hasattr(self.decoder, 'layer_norm'):
            x = self.decoder.layer_norm(x)
        return self.decoder.output_projection(x), states, torch.stack(attentions)

    def forward(self, source, target):
        """Logits [B, T, V]"""
        memory, _ = self.encode(source)
        return self.decode(target, memory, source)[0]
