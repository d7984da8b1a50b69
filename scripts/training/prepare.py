"""From files of pairs to what the trainer reads: WORK/vocab.spm, WORK/train.npz, WORK/held-out.npz, WORK/sets/.

train.npz holds every pair's ids (first language, then second, no eos): ids uint16 [total], lengths uint16 [pairs, 2], how often
an epoch takes a pair, early and late in training: repeats uint8 [pairs, 2], and the two languages.
"""
import os
import random
import tempfile

import numpy as np
import sentencepiece

import parallel
import text

LONGEST = 158               # pieces of a side
VOCABULARY_SAMPLE = 1_500_000
THREADS = 2


def parse_file(argument):
    """PATH[:EARLY[:LATE]] -> (path, (early, late)): how often an epoch takes each pair of the file."""
    path, *counts = argument.split(':')
    early = int(counts[0]) if counts else 1
    return path, (early, int(counts[1]) if len(counts) > 1 else early)


def train_vocabulary(path, pairs, size):
    """One SentencePiece unigram model for both languages: byte fallback, eos 0, unk 1, no bos, no pad."""
    with tempfile.NamedTemporaryFile('w', encoding='utf-8', suffix='.txt') as file:
        file.writelines(f'{first}\n{second}\n' for first, second in pairs)
        file.flush()
        with open(path, 'wb') as model:
            sentencepiece.SentencePieceTrainer.train(
                input=file.name, model_writer=model, vocab_size=size, model_type='unigram', character_coverage=0.9999,
                byte_fallback=True, bos_id=-1, pad_id=-1, eos_id=0, unk_id=1, num_threads=THREADS,
                input_sentence_size=VOCABULARY_SAMPLE, shuffle_input_sentence=True, normalization_rule_name='nmt_nfkc',
                max_sentence_length=4000, minloglevel=1)


def encode(path, vocabulary, pairs, repeats, languages):
    """Write the ids of the pairs that are short enough and of like length; returns how many."""
    ids, lengths, kept = [], [], []
    sides = [vocabulary.encode([pair[i] for pair in pairs], num_threads=THREADS) for i in (0, 1)]
    for first, second, repeat in zip(*sides, repeats, strict=True):
        shorter, longer = sorted((len(first), len(second)))
        if shorter > 0 and longer <= LONGEST and longer <= 2.6 * shorter + 6:
            ids.append(np.array(first + second, np.uint16))
            lengths.append((len(first), len(second)))
            kept.append(repeat)
    np.savez(path, ids=np.concatenate(ids), lengths=np.array(lengths, np.uint16), repeats=np.array(kept, np.uint8),
             languages=np.array(languages))
    return len(kept)


def prepare(work, files, test_sets, vocabulary_size, held_out, variations, vocabulary_file=None, stated=None):
    """Do it all. `files`: PATH[:EARLY[:LATE]], whose columns are as their names say, or `stated`; `held_out`: pairs kept for
    the loss curve and the closing score.
    """
    os.makedirs(os.path.join(work, 'sets'), exist_ok=True)
    files = [parse_file(file) for file in files]
    languages = parallel.columns(files[0][0], stated)
    cleaner, rng = text.Cleaner(test_sets, languages, stated), random.Random(7)
    pairs, repeats = [], []
    for path, repeat in files:
        clean = [pair for pair in text.read_pairs(path, languages, stated) if cleaner.accepts(*pair)]
        print(f'{path}: {len(clean):,} pairs', flush=True)
        pairs += clean
        repeats += [repeat] * len(clean)
    print('dropped: ' + ', '.join(f'{count:,} {why}' for why, count in cleaner.dropped.items()), flush=True)
    numbered, aside = text.hold_out(list(zip(pairs, repeats, strict=True)), held_out)
    pairs, repeats = [pair for pair, _ in numbered], [repeat for _, repeat in numbered]
    if variations:              # after the split: a variation of a held-out pair would give it away
        more = list(text.vary(pairs, languages, rng))
        pairs, repeats = pairs + more, repeats + [(1, 1)] * len(more)

    path = os.path.join(work, 'vocab.spm')
    if vocabulary_file:
        with open(vocabulary_file, 'rb') as source, open(path, 'wb') as target:
            target.write(source.read())
    else:
        train_vocabulary(path, pairs, vocabulary_size)
    vocabulary = sentencepiece.SentencePieceProcessor(model_file=path)
    kept = encode(os.path.join(work, 'train.npz'), vocabulary, pairs, repeats, languages)
    aside = [pair for pair, _ in aside]
    encode(os.path.join(work, 'held-out.npz'), vocabulary, aside, [(1, 1)] * len(aside), languages)
    text.write_pairs(os.path.join(work, 'sets', f'held-out.{languages[0]}-{languages[1]}.tsv'), aside)
    print(f'{kept:,} pairs to train on, {len(aside):,} held out, {vocabulary.get_piece_size():,} pieces', flush=True)
