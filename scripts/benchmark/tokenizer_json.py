"""A SentencePiece unigram vocabulary as Hugging Face's tokenizer.json."""
import base64

from sentencepiece import sentencepiece_model_pb2

MARK = '\u2581'     # stands for a blank
UNKNOWN, CONTROL = 2, 3      # types of pieces


def tokenizer_json(path):
    """(tokenizer.json, tokenizer_config.json) of a vocab.spm, with one more piece behind it: `<pad>`"""
    model = sentencepiece_model_pb2.ModelProto()
    with open(path, 'rb') as file:
        model.ParseFromString(file.read())
    vocabulary = [[piece.piece, piece.score] for piece in model.pieces] + [['<pad>', 0]]
    special = [i for i, piece in enumerate(model.pieces) if piece.type in (UNKNOWN, CONTROL)] + [len(model.pieces)]
    added = [{'id': i, 'content': vocabulary[i][0], 'special': True, 'normalized': False, 'single_word': False,
              'lstrip': False, 'rstrip': False} for i in special]
    end = model.pieces[model.trainer_spec.eos_id].piece
    blank = {'type': 'Metaspace', 'replacement': MARK, 'add_prefix_space': True, 'prepend_scheme': 'always'}
    charsmap = base64.b64encode(model.normalizer_spec.precompiled_charsmap).decode()
    tokenizer = {
        'version': '1.0', 'truncation': None, 'padding': None, 'added_tokens': added,
        'normalizer': {'type': 'Sequence', 'normalizers': [
            {'type': 'Precompiled', 'precompiled_charsmap': charsmap},
            {'type': 'Replace', 'pattern': {'Regex': ' {2,}'}, 'content': ' '}]},
        'pre_tokenizer': blank,
        'post_processor': {
            'type': 'TemplateProcessing', 'pair': [],
            'single': [{'Sequence': {'id': 'A', 'type_id': 0}}, {'SpecialToken': {'id': end, 'type_id': 0}}],
            'special_tokens': {end: {'id': end, 'ids': [model.trainer_spec.eos_id], 'tokens': [end]}}},
        'decoder': blank,
        'model': {'type': 'Unigram', 'unk_id': model.trainer_spec.unk_id, 'vocab': vocabulary,
                  'byte_fallback': model.trainer_spec.byte_fallback},
    }
    config = {'tokenizer_class': 'PreTrainedTokenizer', 'eos_token': end, 'pad_token': '<pad>',
              'unk_token': model.pieces[model.trainer_spec.unk_id].piece, 'model_max_length': 512,
              'clean_up_tokenization_spaces': False}
    return tokenizer, config
