"""config.json of a model folder: Hugging Face MarianMT's names, and `decoder_start`."""


def make_config(source, target, vocabulary, width, ffn, encoder_layers, decoder_layers, heads, **variants):
    """The content of config.json; sizes as data, languages as BCP 47 tags; `variants`: as src/model/README.md names them."""
    return {
        'model_type': 'marian', 'source_language': source, 'target_language': target, 'd_model': width,
        'encoder_ffn_dim': ffn, 'decoder_ffn_dim': ffn, 'encoder_layers': encoder_layers, 'decoder_layers': decoder_layers,
        'encoder_attention_heads': heads, 'decoder_attention_heads': heads, 'vocab_size': vocabulary,
        'activation_function': 'relu', 'normalize_before': False, 'scale_embedding': True, 'layer_norm_eps': 1e-06,
        'position_embedding': 'sinusoidal', 'eos_token_id': 0, 'unk_token_id': 1, 'decoder_start': 'zero',
        'share_encoder_decoder_embeddings': True,
    } | variants
