#!/usr/bin/python3
"""The faults that scripts/evaluate counts: each is found, and what only looks like one is not."""
import os
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..')
sys.path.insert(0, os.path.join(ROOT, 'scripts/models'))
import checks  # ruff: ignore[module-import-not-at-top-of-file]
import parallel  # ruff: ignore[module-import-not-at-top-of-file]

# source, reference, translation, the checks that it fails
CASES = [
    ('It costs 1,234.50 euros.', 'Das kostet 1.234,50 Euro.', 'Es kostet 1234,50 Euro.', set()),
    ('It costs 1,234.50 euros.', 'Das kostet 1.234,50 Euro.', 'Es kostet 1.243,50 Euro.', {'numbers'}),
    ('It leaves at 2 p.m.', 'Er fährt um 14 Uhr.', 'Er fährt um 14 Uhr.', set()),     # only one side of the pair has "14"
    ('Anna met Jim.', 'Anna traf Jim.', 'Jim wurde von Anna getroffen.', set()),
    ('Anna met Jim.', 'Anna traf Jim.', 'Anna traf Tim.', {'names'}),
    ("Anna's car", 'Das Auto von Anna', 'Annas Auto', set()),
    ('I do not know.', 'Ich weiß es nicht.', 'Keine Ahnung.', set()),
    ('I do not know.', 'Ich weiß es nicht.', 'Ich weiß es.', {'negation'}),
    ('It is open.', 'Es ist offen.', 'Es ist nicht offen.', {'negation'}),
    ('It is not clear.', 'Es ist nicht klar.', 'Es ist unklar.', set()),
    ('We came home late, and the door was locked.', 'Wir kamen spät heim, und die Tür war verschlossen.', 'Wir kamen.',
     {'length'}),
    ('Yes.', 'Ja.', 'Jawohl.', set()),
]


class Checks(unittest.TestCase):

    def test_each_fault_is_counted_and_nothing_else(self):
        for source, reference, translation, expected in CASES:
            with self.subTest(translation=translation):
                counted = checks.count([source], [reference], [translation], 'de')
                self.assertEqual({name for name, failed in counted.items() if failed}, expected)

    def test_a_language_without_a_list_is_not_checked_for_negation(self):
        self.assertEqual(checks.count(['I do not.'], ['Jag gör inte.'], ['Jag gör.'], 'sv')['negation'], 0)

    def test_references_have_no_faults(self):
        path = os.path.join(ROOT, 'weights/everyday.en-de.tsv')
        for source, target in (('en', 'de'), ('de', 'en')):
            sources, references = zip(*parallel.read(path, source, target), strict=True)
            self.assertEqual(len(sources), 300)
            self.assertEqual(sum(checks.count(sources, references, references, target).values()), 0)


unittest.main()
