"""What tensors a configuration asks for: their names and shapes in model.safetensors, by src/model/README.md."""


def _attention(name, config, side, width, memory):
    """Of one attention; `memory`: width of what it looks at if that is the encoder's output, else None."""
    all_heads = config[f'{side}_attention_heads'] * config.get(
        f'{side}_head_dim', width // config[f'{side}_attention_heads'])
    kind, keys = config.get('projections', 'separate'), memory or width
    if kind == 'fused-heads' and memory:
        layers = {'q_proj': (all_heads, width), 'kv_proj': (2 * all_heads, keys)}
    elif kind == 'fused-heads':
        layers = {'qkv_proj': (3 * all_heads, width)}
    elif kind == 'fused' and keys == width:
        layers = {'in_proj': (3 * all_heads, width)}
    else:
        layers = {'q_proj': (all_heads, width), 'k_proj': (all_heads, keys), 'v_proj': (all_heads, keys)}
    shapes = {}
    for layer, shape in {**layers, 'out_proj': (width, all_heads)}.items():
        shapes |= _linear(f'{name}.{layer}', *shape, '_' if layer == 'in_proj' else '.')
    return shapes | _norm(name + '_layer_norm', width)


def _linear(name, outputs, inputs, dot='.'):
    return {f'{name}{dot}weight': (outputs, inputs), f'{name}{dot}bias': (outputs,)}


def _norm(name, width):
    return {name + '.weight': (width,), name + '.bias': (width,)}


def _layer(name, config, side, width, memory):
    """Of one layer."""
    if side == 'decoder' and config.get('decoder_unit') == 'ssru':
        shapes = {name + '.ssru.candidate.weight': (width, width), **_linear(name + '.ssru.forget', width, width),
                  **_norm(name + '.ssru_layer_norm', width)}
    else:
        shapes = _attention(name + '.self_attn', config, side, width, None)
    if side == 'decoder':
        shapes |= _attention(name + '.encoder_attn', config, side, width, memory)
    ffn = config[f'{side}_ffn_dim']
    shapes |= _linear(name + '.fc1', ffn, width) | _linear(name + '.fc2', width, ffn)
    return shapes | _norm(name + '.final_layer_norm', width)


def shapes(config):
    """The content of a config.json -> {name: shape} of a float folder; int8 folders have `<matrix>_scale` [rows] besides."""
    width, vocabulary = config['d_model'], config.get('decoder_vocab_size', config['vocab_size'])
    memory, found = config.get('encoder_d_model', width), {}
    if config.get('share_encoder_decoder_embeddings', True):
        found['model.shared.weight'] = (vocabulary, width)
    else:
        found['model.encoder.embed_tokens.weight'] = (config['vocab_size'], memory)
        found['model.decoder.embed_tokens.weight'] = (vocabulary, width)
    if not config.get('tie_word_embeddings', True):
        found['lm_head.weight'] = (vocabulary, width)
    if config.get('output_bias', True):
        found['final_logits_bias'] = (vocabulary,)
    for side, of_side in (('encoder', memory), ('decoder', width)):
        name = f'model.{side}'
        if config.get('position_embedding') == 'learned':
            most = config.get('max_source_positions' if side == 'encoder' else 'max_target_positions',
                              config.get('max_position_embeddings', 512))
            found[name + '.embed_positions.weight'] = (most + config.get('position_offset', 0), of_side)
        if config.get('normalize_embedding', False):
            found |= _norm(name + '.layernorm_embedding', of_side)
        if config.get(f'{side}_final_norm', config.get(f'{side}_normalize_before', config.get('normalize_before', False))):
            found |= _norm(name + '.layer_norm', of_side)
        for i in sorted(set(config.get(f'{side}_tied_layers', range(config[f'{side}_layers'])))):
            found |= _layer(f'{name}.layers.{i}', config, side, of_side, memory)
    return found
