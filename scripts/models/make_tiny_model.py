#!/usr/bin/python3
"""Write the tiny random models of the tests with their goldens. Deterministic: a rerun changes nothing.

usage: make_tiny_model.py          writes four folders of tests/data:
    tiny-f16, tiny-int8     one model, float and int8
    tiny-ssru               with a decoder of SSRUs and a vocabulary for each side, float
    tiny-marian             the same as Marian's int8 file and shortlist; its vocabularies are tiny-ssru's

The weights are random, so the text that comes out means nothing; the ids, logits and attention are what tests compare.
No dimension is a multiple of a SIMD width by luck: FFN 40 exercises the tails of the kernels.
"""
import contextlib
import io
import json
import os
import tempfile
import unicodedata

import numpy as np
import sentencepiece

import make_goldens
import marian_file
import marian_shortlist
import model_config
import quantize
import reference
import weight_file

DATA = os.path.join(make_goldens.ROOT, 'tests/data')
SEED = 173              # of 9,000 tried, one whose outputs vary in length and words
EOS_BIAS = 5.0
WIDTH, FFN, HEADS, ENCODER_LAYERS, DECODER_LAYERS, VOCABULARY = 32, 40, 4, 2, 2, 384
SMALLEST_MARGIN = 0.01      # logits; between the best and the second of every step
CONFIG = model_config.make_config('en', 'de', VOCABULARY, WIDTH, FFN, ENCODER_LAYERS, DECODER_LAYERS, HEADS)
SSRU_SEED = 128             # of 140 tried, likewise
SSRU_CONFIG = model_config.make_config(
    'en', 'de', 320, WIDTH, FFN, 1, DECODER_LAYERS, HEADS, decoder_unit='ssru', share_encoder_decoder_embeddings=False,
    decoder_vocab_size=344)
TEXT = """
The house is small, but the garden is large. | Das Haus ist klein, aber der Garten ist groß.
I am reading a good book about the sea. | Ich lese ein gutes Buch über das Meer.
Where is the next train station? | Wo ist der nächste Bahnhof?
She is learning German and English. | Sie lernt Deutsch und Englisch.
We will see each other again tomorrow. | Wir sehen uns morgen wieder.
The cat sleeps on the old chair. | Die Katze schläft auf dem alten Stuhl.
Please close the door behind you. | Bitte mach die Tür hinter dir zu.
It was raining the whole day. | Es hat den ganzen Tag geregnet.
Can you show me the way to the market? | Können Sie mir den Weg zum Markt zeigen?
The children are singing a song in the school. | Die Kinder singen ein Lied in der Schule.
My brother is working in a large city. | Mein Bruder arbeitet in einer großen Stadt.
He has bought bread, cheese and apples. | Er hat Brot, Käse und Äpfel gekauft.
The ship is leaving the harbour at seven. | Das Schiff verlässt den Hafen um sieben.
You can change the language in the settings. | Sie können die Sprache in den Einstellungen ändern.
The translation is running in the browser. | Die Übersetzung läuft im Browser.
There is snow on the mountains in winter. | Im Winter liegt Schnee auf den Bergen.
The teacher is asking a question. | Die Lehrerin stellt eine Frage.
I have forgotten my key at home. | Ich habe meinen Schlüssel zu Hause vergessen.
The bread from this bakery is the best. | Das Brot aus dieser Bäckerei ist das beste.
They are waiting for the bus in the rain. | Sie warten im Regen auf den Bus.
"""
SOURCES = [
    'Yes!',
    'ü',                        # reaches the limit of length: no eos
    'Katze 🐱',                 # reaches it in float only
    'Zug',
    '👋 Hallo',
    'ﬁsch ｕｎｄ Bro\u0308tchen',
    'Wo ist die Katze?',
    'Wir sehen uns morgen wieder.',
    'You can change the language in the settings.',
    'The children are singing in the school while the teacher is reading a book about the harbour.',
]


SSRU_SOURCES = ['No.', 'The cat', 'Where is the sea?', 'Jürgen 🐱', 'You can change the language in the settings.']


def normalisation_rules():
    """The lines of a SentencePiece rule file: the European part of `nmt_nfkc`, the rules of the shipped vocabularies.

    The whole of it is 240 KB, which is too much for a test file.
    """
    rules = {}
    latin = [chr(c) for c in range(0xA0, 0x180)]
    wide = [chr(c) for c in (*range(0xFB00, 0xFB07), *range(0xFF01, 0xFF5E), 0x2026, 0x2122)]
    for char in latin + wide:
        composed = unicodedata.normalize('NFKC', char)
        if composed != char:
            rules[char] = composed
        decomposed = unicodedata.normalize('NFD', char)
        if char in latin and decomposed != char:
            rules[decomposed] = char
    spaces = '\t\n\x0c\r\u1680\u200b\u200e\u200f\u2028\u2029\u2581\ufeff\ufffd' + ''.join(map(chr, range(0x2000, 0x200B)))
    rules.update(dict.fromkeys(spaces, ' '))
    rules.update(dict.fromkeys(map(chr, (*range(1, 9), 0xB, *range(0xE, 0x20), 0x7F, 0x8F, 0x9F)), ''))

    def points(text):
        return ' '.join(f'{ord(char):X}' for char in text)
    return ''.join(f'{points(source)}\t{points(target)}\n' for source, target in sorted(rules.items()))


def train_vocabulary(size, sides):
    """The bytes of a SentencePiece model: unigram, byte fallback, eos 0, unk 1, as the shipped ones; `sides`: of TEXT."""
    sentences = [side.strip() for line in TEXT.strip().split('\n') for side in line.split(' | ')[sides]]
    model = io.BytesIO()
    # The rule file's path is kept inside the model: a bare name makes every run write the same bytes.
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        with open('rules.tsv', 'w', encoding='utf-8') as file:
            file.write(normalisation_rules())
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(sentences), model_writer=model, vocab_size=size, model_type='unigram',
            character_coverage=1.0, byte_fallback=True, bos_id=-1, pad_id=-1, eos_id=0, unk_id=1, num_threads=1,
            normalization_rule_tsv='rules.tsv', minloglevel=2)
    return model.getvalue()


def random_tensors(seed, config):
    """{name: F16 array}. Scales are chosen so that attention is peaked and the decoder neither stalls nor loops."""
    rng = np.random.default_rng(seed)
    tensors = {}

    def linear(name, outputs, inputs, gain=1.0):
        tensors[name + '.weight'] = rng.normal(0, gain / np.sqrt(inputs), (outputs, inputs))
        tensors[name + '.bias'] = rng.normal(0, 0.1, outputs)

    def norm(name, gain=1.0):
        # Signs at random: with tied embeddings the residual path would otherwise make every token predict itself.
        tensors[name + '.weight'] = gain * rng.uniform(0.7, 1.3, WIDTH) * rng.choice([-1, 1], WIDTH)
        tensors[name + '.bias'] = rng.normal(0, 0.1, WIDTH)

    def attention(name):
        for part, gain in (('q', 2.0), ('k', 2.0), ('v', 0.8), ('out', 0.8)):
            linear(f'{name}.{part}_proj', WIDTH, WIDTH, gain)
        norm(name + '_layer_norm')

    def embedding(name, vocabulary):
        # Rows of one length, or the longest would win every step; half of 1, so that positions weigh as much as tokens.
        rows = rng.normal(0, 1, (vocabulary, WIDTH))
        tensors[name + '.weight'] = 0.5 * rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def ssru(layer):
        linear(layer + '.ssru.forget', WIDTH, WIDTH, 2.0)
        tensors[layer + '.ssru.candidate.weight'] = rng.normal(0, 2 / np.sqrt(WIDTH), (WIDTH, WIDTH))
        norm(layer + '.ssru_layer_norm')

    if config['share_encoder_decoder_embeddings']:
        embedding('model.shared', config['vocab_size'])
    else:
        embedding('model.encoder.embed_tokens', config['vocab_size'])
        embedding('model.decoder.embed_tokens', config['decoder_vocab_size'])
    bias = rng.normal(0, 0.1, config.get('decoder_vocab_size', config['vocab_size']))
    bias[0] += EOS_BIAS         # often enough that lengths differ
    bias[1] -= 20               # unk: never
    bias[2:258] -= 2.5          # bytes: seldom
    tensors['final_logits_bias'] = bias
    for side in ('encoder', 'decoder'):
        layers = config[side + '_layers']
        for i in range(layers):
            layer = f'model.{side}.layers.{i}'
            if side == 'decoder' and config.get('decoder_unit') == 'ssru':
                ssru(layer)
            else:
                attention(layer + '.self_attn')
            if side == 'decoder':
                attention(layer + '.encoder_attn')
            linear(layer + '.fc1', FFN, WIDTH, 1.5)
            linear(layer + '.fc2', WIDTH, FFN, 1.5)
            last = side == 'decoder' and i == layers - 1
            norm(layer + '.final_layer_norm', 8.0 if last else 1.0)     # the last one sets the spread of the logits
    return {name: array.astype(np.float16) for name, array in tensors.items()}


def golden_case(model, vocabularies, source):
    """One sentence with everything that tests compare: S source rows, T = greedy ids + 1 steps."""
    case, memory, logits, attention = make_goldens.translate(model, vocabularies, source)
    margin = make_goldens.smallest_margin(logits)
    if margin <= SMALLEST_MARGIN:
        raise ValueError(f'margin {margin:.4f} in "{source}": choose another sentence or seed')
    top = np.argsort(-logits, -1)[:, :5]
    return case | {
        'memory': memory[[0, -1]].round(5).tolist(),                                    # first and last row, [2, D]
        'top5_ids': top.tolist(),                                                       # [T, 5]
        'top5_logits': np.take_along_axis(logits, top, -1).round(4).tolist(),           # [T, 5]
        'log_normaliser': reference.log_normaliser(logits).round(4).tolist(),           # [T]
        'beam4': [{'ids': out, 'score': round(score, 5)} for out, score in model.beam(case['source_ids'], 4)],
        'cross_attention_mean_over_heads': attention.mean(0).round(4).tolist(),         # [T, S], last layer
    }


def drop_unsteady(folder, cases):
    """Drop what rightly differs from the int8 core: a float sum in another order may push an activation over a rounding
    boundary, and with 32 columns one such step of 1/127 shows. The greedy ids have to stay the same; of a beam, those
    translations are kept that do.
    """
    for nudged in make_goldens.nudged_models(folder, 12):
        for case in cases:
            if nudged.greedy(case['source_ids']) != case['greedy_ids']:
                raise ValueError(f'rounding changes the ids of "{case["source"]}": choose another sentence')
            for i, (found, _) in enumerate(nudged.beam(case['source_ids'], 4)):
                if [found] != [kept['ids'] for kept in case['beam4'][i:i + 1]]:
                    del case['beam4'][i:]


def write_goldens(folder, int8_products, sources, target=None, most=None):
    """Write golden.json of a model folder, into it or into `target`; ValueError if a translation has more than `most` pieces."""
    model, vocabularies = reference.Model(folder, int8_products), reference.load_vocabularies(folder)
    if most and not all(1 < len(model.greedy([*vocabularies[0].encode(source), reference.EOS])) <= most for source in sources):
        raise ValueError('a translation is too long or too short: choose another seed')
    cases = [golden_case(model, vocabularies, source) for source in sources]
    if int8_products:
        drop_unsteady(folder, cases)
    make_goldens.write(os.path.join(target or folder, 'golden.json'), 'scripts/models/make_tiny_model.py', cases)
    print(os.path.basename(target or folder))
    for case in cases:
        print(len(case['source_ids']), len(case['greedy_ids']), case['greedy'])


def write_folder(folder, config, vocabularies, tensors):
    """Write a model folder; `vocabularies`: bytes by file name."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, 'config.json'), 'w', encoding='utf-8') as file:
        json.dump(config, file, indent=1)
    for name, data in vocabularies.items():
        with open(os.path.join(folder, name), 'wb') as file:
            file.write(data)
    weight_file.write(os.path.join(folder, 'model.safetensors'), tensors, 'pt')


def with_one_scale(tensors):
    """{name: F16 array} -> the same with int8 matrices, all rows of one scale, as Marian has them."""
    out = {}
    for name, array in tensors.items():
        array = array.astype(np.float32)
        if array.ndim == 2:
            multiplier = np.float32(127) / np.abs(array).max()
            array, scale = np.rint(array * multiplier).astype(np.int8), np.float32(1) / multiplier
            out = {name: array, **out, name + '_scale': np.full(len(array), scale, np.float32)}
        else:
            out[name] = array
    return out


def write_ssru_model(ssru, marian):
    """Write tiny-ssru and tiny-marian."""
    vocabularies = {side + '.spm': train_vocabulary(SSRU_CONFIG[key], slice(i, i + 1))
                    for i, (side, key) in enumerate((('source', 'vocab_size'), ('target', 'decoder_vocab_size')))}
    tensors = random_tensors(SSRU_SEED, SSRU_CONFIG)
    write_folder(ssru, SSRU_CONFIG, vocabularies, tensors)
    write_goldens(ssru, False, SSRU_SOURCES)
    os.makedirs(marian, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        # As files of Marian's are run.
        write_folder(folder, SSRU_CONFIG | {'wide_activations': True}, vocabularies, with_one_scale(tensors))
        write_goldens(folder, True, SSRU_SOURCES, marian)
        lines = [line.replace(' | ', '\t') for line in TEXT.strip().split('\n')]
        marian_file.export(folder, os.path.join(marian, 'model.ende.intgemm.alphas.bin'), lines)
    with open(os.path.join(marian, 'lex.ende.s2t.bin'), 'wb') as file:
        file.write(marian_shortlist.random_shortlist(SSRU_SEED, SSRU_CONFIG['vocab_size'], SSRU_CONFIG['decoder_vocab_size']))


def main():
    real, int8 = os.path.join(DATA, 'tiny-f16'), os.path.join(DATA, 'tiny-int8')
    vocabularies = {'vocab.spm': train_vocabulary(VOCABULARY, slice(2))}
    write_folder(real, CONFIG, vocabularies, random_tensors(SEED, CONFIG))
    quantize.quantise_folder(real, int8)
    write_goldens(real, False, SOURCES)
    write_goldens(int8, True, SOURCES)
    write_ssru_model(os.path.join(DATA, 'tiny-ssru'), os.path.join(DATA, 'tiny-marian'))


if __name__ == '__main__':
    main()
