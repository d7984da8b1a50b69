"""A state dict whose parts a JSON file names: torch.nn.Transformer's, or that of a module of one's own, from any framework.

It is a file of torch.save, a .safetensors, or a .npz of arrays by their names.

The JSON file, of which layouts/ has examples:
  "config"      fields of config.json (src/model/README.md lists the variants); sizes that the tensors tell may be left out
  "names"       beginnings of our tensors' names, and what they are in the state dict; {i} is the number of a layer, {_i} as
                Haiku counts: nothing, _1, _2. The longest that fits counts, and what follows stays:
                "model.encoder.layers.{i}.fc1.": "encoder.layers.{i}.linear1."
  "endings"     the same for the last part of a name, by the kind of tensor: {"norm": {"weight": "gamma", "bias": "beta"}}, and
                "linear", "embedding"
  "transposed"  true: matrices are [in, out], embeddings as ever
  "zeros"       patterns of our names of vectors that the module does without: they are zeros
  "ignored"     patterns of names in the state dict that are no weights
  "pieces"      {"eos": "<EOS>", "unknown": "<UNK>", "others": ["<PAD>"], "unit": "word" or "character"}, for lists of words
"""
import fnmatch
import re

import numpy as np

import folder
import model_config
import sentencepiece_file
import torch_file
import vocabulary
from errors import require
from tensors import shapes as tensor_shapes

KEYS = {'config', 'names', 'endings', 'transposed', 'zeros', 'ignored', 'pieces', 'about'}
SIDES = ('encoder', 'decoder')


class Parts:
    """What a JSON file says."""

    def __init__(self, path):
        self.path, content = path, vocabulary.read_json(path)
        require(isinstance(content, dict) and isinstance(content.get('config'), dict) and isinstance(content.get('names'), dict),
                f"{path} lacks 'config' or 'names'")
        unknown = sorted(set(content) - KEYS)
        require(not unknown, f'{path} has the unknown fields {", ".join(unknown)}')
        self.config, self.names = content['config'], content['names']
        self.endings, self.transposed = content.get('endings', {}), content.get('transposed', False)
        self.zeros, self.ignored = content.get('zeros', []), content.get('ignored', [])
        self.pieces = {'eos': '</s>', 'unknown': '<unk>', 'others': [], 'unit': 'word'} | content.get('pieces', {})

    def theirs(self, ours):
        """What one of our tensors is called in the state dict."""
        number = re.search(r'\.layers\.(\d+)\.', ours)
        general = ours.replace(number[0], '.layers.{i}.', 1) if number else ours
        fitting = [beginning for beginning in self.names if general.startswith(beginning)]
        require(fitting, f"{self.path}: 'names' has nothing for {general}")
        beginning = max(fitting, key=len)
        rest = general[len(beginning):]
        kind = 'norm' if 'norm' in ours else 'embedding' if 'embed' in ours or 'shared' in ours else 'linear'
        for end, name in self.endings.get(kind, {}).items():
            if rest.endswith(end):
                rest = rest[:-len(end)] + name
                break
        name = self.names[beginning] + rest
        if not number:
            return name
        return name.replace('{i}', number[1]).replace('{_i}', f'_{number[1]}' if number[1] != '0' else '')


def measured(parts, reader):
    """config.json's content but for the languages: what the JSON file says, and the sizes that the tensors tell."""
    config = {'share_encoder_decoder_embeddings': False, 'layer_norm_eps': 1e-5, 'scale_embedding': True,
              'activation_function': 'relu', 'normalize_before': False} | parts.config

    def shape(ours):
        name = parts.theirs(ours)
        require(name in reader, f'{reader.path} lacks the tensor {name}')
        found = reader.tensors[name].shape
        return found[::-1] if parts.transposed and 'embed' not in ours and 'shared' not in ours else found
    tables = [f'model.{side}.embed_tokens' for side in SIDES]
    if config['share_encoder_decoder_embeddings']:
        tables = ['model.shared'] * 2
    (source, memory), (target, width) = (shape(table + '.weight') for table in tables)
    sizes = {'vocab_size': source, 'decoder_vocab_size': target, 'd_model': width, 'encoder_d_model': memory}
    for side in SIDES:
        count = 0
        while parts.theirs(f'model.{side}.layers.{count}.fc1.weight') in reader:
            count += 1
        require(count, f'{reader.path} lacks the tensor ' + parts.theirs(f'model.{side}.layers.0.fc1.weight'))
        sizes |= {f'{side}_layers': count, f'{side}_ffn_dim': shape(f'model.{side}.layers.0.fc1.weight')[0]}
        heads = config.get(f'{side}_attention_heads')
        require(type(heads) is int and heads > 0, f"{parts.path}: 'config' lacks {side}_attention_heads")
        if config.get('position_embedding') == 'learned':
            key = {'encoder': 'max_source_positions', 'decoder': 'max_target_positions'}[side]
            sizes[key] = shape(f'model.{side}.embed_positions.weight')[0] - config.get('position_offset', 0)
    return sizes | config


def read_tensors(reader, parts, config):
    """{our name: array}"""
    tensors = {}
    for ours, shape in tensor_shapes(config).items():
        if len(shape) == 1 and any(fnmatch.fnmatchcase(ours, pattern) for pattern in parts.zeros):
            tensors[ours] = np.zeros(shape, np.float32)
            continue
        turned = parts.transposed and len(shape) == 2 and 'embed' not in ours and 'shared' not in ours
        array = reader.take(parts.theirs(ours), shape[::-1] if turned else shape)
        tensors[ours] = array.T if turned else array
    for name in reader.names():
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in parts.ignored):
            reader.drop(name)
    reader.expect_empty()
    return tensors


def read_arrays(path, trust):
    """{name: array} of a file of any of the three kinds."""
    if path.endswith('.npz'):
        return folder.read_npz(path)
    if path.endswith('.safetensors'):
        return folder.read_safetensors(path)
    return torch_file.arrays(torch_file.read(path, trust), path)


def word_lists(paths, parts, config, tensors):
    """{file name: bytes} of lists of words or characters, one for both sides or two."""
    require(len(paths) <= 2, f'--words takes one file or two, not {len(paths)}')
    special, files = parts.pieces, {}
    shared = len(paths) == 1
    sides = (('vocab.spm', 'vocab_size'),) if shared else (('source.spm', 'vocab_size'), ('target.spm', 'decoder_vocab_size'))
    for path, (name, key) in zip(paths, sides, strict=True):
        ids = vocabulary.read_json(path) if path.endswith('.json') else vocabulary.read_word_list(path)
        require(special['eos'] in ids, f'{path} lacks the piece {special["eos"]}')
        require(ids[special['eos']] == config['eos_token_id'], f"{path}: {special['eos']} is not eos_token_id")
        require(max(ids.values()) < config[key], f'{path} has more pieces than the model, which has {config[key]}')
        its = vocabulary.Special(special['eos'], special['unknown'], tuple(special['others']), config[key])
        make = {'word': vocabulary.words, 'character': vocabulary.characters}.get(special['unit'])
        require(make, f"{parts.path}: the unit of 'pieces' is {special['unit']}; known are word and character")
        files[name] = make(ids, its).encoded()
    return files


def convert(path, parts_path, spm_paths, word_paths, out, languages, trust=False):
    """Write the model folder `out`; spm_paths, word_paths: what splits text, one of them."""
    parts = Parts(parts_path)
    reader = folder.TensorReader(read_arrays(path, trust), path)
    config = measured(parts, reader)
    tensors = read_tensors(reader, parts, config)
    config = model_config.make_config(
        *languages, config['vocab_size'], config['d_model'], config['encoder_ffn_dim'], config['encoder_layers'],
        config['decoder_layers'], config['encoder_attention_heads']) | config
    if word_paths:
        files = word_lists(word_paths, parts, config, tensors)
    else:
        require(spm_paths and len(spm_paths) <= 2, 'the model needs a vocabulary: --vocabulary or --words, one file or two')
        models = [sentencepiece_file.read(name) for name in spm_paths]
        names = ['vocab.spm'] if len(models) == 1 else ['source.spm', 'target.spm']
        files = {name: model.encoded() for name, model in zip(names, models, strict=True)}
    folder.write(out, config, tensors, files)
