#!/usr/bin/python3
"""Golden sentences for the shipped int8 weights, by the exact emulation of the int8 core, and hashes of quantised rows.

usage: make_goldens.py          rewrites tests/data/golden-<source>-<target>.json for every folder of weights/, and
                                tests/data/quantised-rows.json

Left out are sentences where the core may rightly choose another word: those with a step whose best logit is hardly above
the second, and those whose words change when a float sum in another order moves an activation over a rounding boundary.
"""
import json
import os

import numpy as np
import xxhash

import reference

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SMALLEST_MARGIN = 0.1       # logits; between the best and the second of every step
NUDGE = 4e-6                # of an embedding value: many times the error of a float32 sum
CANDIDATES = {     # one sentence each, for the engine translates sentence by sentence
    'en': [
        'Good morning!',
        'How are you?',
        'Where is the station?',
        'I would like a cup of coffee, please.',
        'The weather is beautiful today.',
        'We are going to the beach tomorrow.',
        'She has two brothers and a sister.',
        'Can you help me, please?',
        'The train leaves at 9:45 from platform 3.',
        'My computer is broken.',
        'Open the settings and choose a language.',
        'He did not know what to say.',
        'The children are playing in the garden.',
        'Thank you very much for your help 😊',
        'It is raining, so we stay at home.',
        'The book is on the table.',
    ],
    'de': [
        'Guten Morgen!',
        'Wie geht es dir?',
        'Wo ist der Bahnhof?',
        'Ich möchte bitte eine Tasse Kaffee.',
        'Das Wetter ist heute schön.',
        'Wir fahren morgen an den Strand.',
        'Sie hat zwei Brüder und eine Schwester.',
        'Können Sie mir bitte helfen?',
        'Der Zug fährt um 9:45 Uhr von Gleis 3.',
        'Mein Computer ist kaputt.',
        'Öffnen Sie die Einstellungen und wählen Sie eine Sprache.',
        'Er wusste nicht, was er sagen sollte.',
        'Die Kinder spielen im Garten.',
        'Vielen Dank für deine Hilfe 😊',
        'Es regnet, also bleiben wir zu Hause.',
        'Das Buch liegt auf dem Tisch.',
    ],
}


def translate(model, vocabularies, source):
    """The part of a golden case that every set has, and the logits [T, V] and cross-attention [H, T, S] behind it."""
    ids = vocabularies[0].encode(source) + [reference.EOS]
    out = model.greedy(ids)
    memory = model.encode(ids)
    logits, attention = model.decode(out, memory)
    case = {'source': source, 'source_ids': ids, 'greedy_ids': out, 'greedy': vocabularies[1].decode(out)}
    return case, memory, logits, attention


def smallest_margin(logits):
    """[T, V] -> the least distance of a row's best from its second."""
    top = np.sort(logits, -1)[:, -2:]
    return float((top[:, 1] - top[:, 0]).min())


def nudged_models(folder, count):
    """`count` int8 models whose embeddings are moved by some millionths, which tips roundings all along the way."""
    rng = np.random.default_rng(count)
    for _ in range(count):
        model = reference.Model(folder, int8_products=True)
        model.embedding.real *= 1 + NUDGE * rng.normal(size=model.embedding.real.shape)
        yield model


def write(path, made_by, cases):
    """Write a golden file, one case a line."""
    lines = ',\n'.join(json.dumps(case, ensure_ascii=False, separators=(',', ':')) for case in cases)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(f'{{"made_by":"{made_by}","cases":[\n{lines}\n]}}\n')


def made_up_rows(rows, width):
    """[rows, width] float32 that a test can make, too: a hash of each number's index (MurmurHash3's last step)."""
    x = np.arange(rows * width, dtype=np.uint32) * np.uint32(0x9E3779B9)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        x = (x ^ x >> np.uint32(shift)) * np.uint32(factor)
    x ^= x >> np.uint32(16)
    return ((x >> np.uint32(8)).astype(np.float32) / np.float32(1 << 23) - np.float32(1)).reshape(rows, width)


def hashes_of_rows(x, levels, kind):
    """Hashes of what `reference.quantise_rows` makes of x, the values in numbers of `kind`."""
    arrays = zip(('values', 'zero', 'scale'), reference.quantise_rows(x, levels), (kind, '<i4', '<f4'), strict=True)
    return {name: xxhash.xxh64(array.astype(kind).tobytes()).hexdigest() for name, array, kind in arrays}


def write_quantised_rows(path, rows=1 << 21, width=4):
    """Hashes of many rows, quantised: the kernel's are compared with them, to the bit."""
    x = made_up_rows(rows, width)
    _, zero, _ = reference.quantise_rows(x)
    low, span = np.minimum(x.min(-1), 0), np.maximum(x.max(-1), 0) - np.minimum(x.min(-1), 0)
    close = int((np.rint(-low * (np.float32(reference.LEVELS) / span)) != zero).sum())
    print(f'{path}: in {close} rows a multiplication would give another zero point')
    assert close > 0, 'the rows do not tell a division from a multiplication'
    forms = {'bytes': hashes_of_rows(x, reference.LEVELS, 'u1'), 'words': hashes_of_rows(x, reference.WIDE_LEVELS, '<i2')}
    with open(path, 'w', encoding='utf-8') as file:
        json.dump({'made_by': 'scripts/models/make_goldens.py', 'rows': rows, 'width': width} | forms, file, indent=1)
        file.write('\n')


def main():
    write_quantised_rows(os.path.join(ROOT, 'tests/data/quantised-rows.json'))
    for direction in sorted(os.listdir(os.path.join(ROOT, 'weights'))):
        folder = os.path.join(ROOT, 'weights', direction)
        if not os.path.exists(os.path.join(folder, 'config.json')):
            continue
        model, vocabularies = reference.Model(folder, int8_products=True), reference.load_vocabularies(folder)
        nudged = list(nudged_models(folder, 4))
        cases = []
        for source in CANDIDATES[model.config['source_language']]:
            case, _, logits, _ = translate(model, vocabularies, source)
            margin = smallest_margin(logits)
            steady = all(other.greedy(case['source_ids']) == case['greedy_ids'] for other in nudged)
            keep = steady and margin > SMALLEST_MARGIN
            print(f'{direction} {"kept" if keep else "left out"} {margin:.3f} {case["greedy"]}')
            if keep:
                cases.append(case)
        write(os.path.join(ROOT, 'tests/data', f'golden-{direction}.json'), 'scripts/models/make_goldens.py', cases)


if __name__ == '__main__':
    main()
