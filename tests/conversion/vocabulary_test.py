#!/usr/bin/python3
"""Vocabularies made for the core split text as the tools do, of whatever kind they were."""
import io
import json
import os
import unittest

import numpy as np
import sentencepiece
from support import DATA, ConversionTest

import sentencepiece_file
import sources
import vocabulary
import word_pieces
from errors import ConversionError

TEXT = ['The house is small, but the garden is large.', 'Where is the next train station?', 'The ships are leaving at seven.',
        'The teacher is asking the children a question.', 'Das Haus ist klein, aber der Garten ist groß.']


def train(kind, sentences, size):
    """A SentencePieceFile."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(sentences), model_writer=model, vocab_size=size,
                                             model_type=kind, hard_vocab_limit=False, num_threads=1, minloglevel=2)
    return sentencepiece_file.parse(model.getvalue())


class Vocabularies(ConversionTest):

    def processor(self, data):
        """Of a file's bytes."""
        return sentencepiece.SentencePieceProcessor(model_proto=data)

    def test_pairs_of_unigram_and_bpe_behind_one_list(self):
        for kind in ('unigram', 'bpe'):
            with self.subTest(kind):
                own = [train(kind, TEXT[:4], 60), train(kind, TEXT[4:] + TEXT[:1], 50)]
                texts = [piece.text for side in own for piece in side.pieces if piece.type == sentencepiece_file.NORMAL]
                order = np.random.default_rng(1).permutation(len(set(texts)))
                joint = [sorted(set(texts))[i] for i in order]
                missing = {'▁the', 's'}
                ids = {text: i for i, text in enumerate(['</s>', '<unk>', *(text for text in joint if text not in missing)])}
                special = vocabulary.Special('</s>', '<unk>')
                files, extra = vocabulary.pair(*own, ids, ids, (special, special), True)
                self.assertEqual({piece.text for piece in extra}, missing & {piece.text for piece in own[0].pieces})
                before, after = (self.processor(data) for data in (own[0].encoded(), files['source.spm']))
                target = self.processor(files['target.spm'])
                for text in [*TEXT, 'gardens, 7 trains; ñ ﬁ  Haus']:
                    self.assertEqual(after.encode(text, out_type=str), before.encode(text, out_type=str))
                for text, number in ids.items():
                    self.assertEqual(target.id_to_piece(number), text)
                theirs = {piece.text for piece in own[1].pieces}
                alone = next(text for text in ids if text not in theirs and text[0] == '▁' and len(text) > 1)
                self.assertEqual(target.decode([ids[alone]] * 2), (alone * 2)[1:].replace('▁', ' '))
                self.assertEqual((after.eos_id(), after.unk_id(), after.get_piece_size()), (0, 1, len(ids) + len(extra)))
                self.assertEqual(target.get_piece_size(), after.get_piece_size())

    def test_one_model_for_both_sides_is_one_file(self):
        own = train('unigram', TEXT, 60)
        ids = {text: i for i, text in enumerate(['</s>', '<unk>', *(piece.text for piece in own.pieces[3:])])}
        special = vocabulary.Special('</s>', '<unk>')
        files, extra = vocabulary.pair(own, own, ids, ids, (special, special), True)
        self.assertEqual((list(files), extra), (['vocab.spm'], []))

    def test_codes_of_subword_nmt(self):
        with open(os.path.join(DATA, 'word-pieces.json'), encoding='utf-8') as file:
            golden = json.load(file)['languages'][0]
        lines = golden['vocabulary'].split('\n')
        at = [i for i, line in enumerate(lines) if line.startswith(('pieces ', 'merges ', 'nonbreaking '))]
        merges = lines[at[1] + 1:at[2]]
        ids = {piece.strip(): i for i, piece in enumerate(lines[at[0] + 1:at[1]]) if piece.strip()}
        special = [vocabulary.Special('</s>', '<unk>', ('<s>', '<pad>'), at[1] - at[0] - 1)] * 2
        for codes in ('#version: 0.2\n' + '\n'.join(merges), '\n'.join(f'{pair} {9}' for pair in merges)):
            make = sources.splitter(None, [self.write('codes', codes + '\n')], ('en', 'de'))
            files, extra = make(ids, ids, special=special, shared=True)
            self.assertEqual((files['source.spm'].decode(), extra), (golden['vocabulary'], []))
            self.assertIn('\nlanguage de\n', files['target.spm'].decode())
        for codes, complaint in (('#version: 0.1\na b\n', 'codes of version 0.1'), ('a b\n', 'before 0.2 are not known'),
                                 ('#version: 0.2\nab\n', 'no pair of pieces'), ('', 'is empty')):
            with self.assertRaisesRegex(ConversionError, complaint):
                word_pieces.read_codes(self.write('codes', codes))
        prefixes = word_pieces.read_nonbreaking(self.write('prefixes', '#a remark\nMr\nNo #NUMERIC_ONLY#\n\n'))
        self.assertEqual(prefixes, ['Mr', 'No #'])
        with self.assertRaisesRegex(ConversionError, 'not by both'):
            sources.splitter(['a.spm'], ['codes'], ('en', 'de'))

    def test_damaged_models_are_refused(self):
        with open(os.path.join(DATA, 'tiny-ssru/source.spm'), 'rb') as file:
            data = file.read()
        for content in (b'', b'\xff' * 40, data[:1001], data[:-1]):
            with self.assertRaisesRegex(ConversionError, 'is no SentencePiece model'):
                sentencepiece_file.read(self.write('bad.spm', content))


if __name__ == '__main__':
    unittest.main()
