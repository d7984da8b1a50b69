#!/usr/bin/python3
"""Contractions are written out where it is sure for what they stand, and where the German is not talk among friends."""
import os
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..')
sys.path.insert(0, os.path.join(ROOT, 'scripts/training'))
import full_forms  # ruff: ignore[module-import-not-at-top-of-file]

WRITTEN_OUT = [
    ("I'm sure they're late.", 'I am sure they are late.'),
    ("It won't fit, and we can't return it.", 'It will not fit, and we cannot return it.'),
    ("Don't open it.", 'Do not open it.'),
    ("Don't you know? Isn't the shop open?", "Don't you know? Isn't the shop open?"),       # behind "you", behind "shop"
    ("It's cold, it's been cold.", 'It is cold, it has been cold.'),
    ("It's closed, and Anna's car is gone.", "It's closed, and Anna's car is gone."),       # is or has; whose
    ("I'd like tea, I'd heard of it.", "I would like tea, I'd heard of it."),                # would or had
    ("Let's go, you'll see, I've time.", "Let's go, you will see, I have time."),
    ('It’s he who didn’t come.', 'It is he who did not come.'),
]
IN_REGISTER = [
    ("It's late.", 'Es ist spät.', False),
    ("It's here for you.", 'Es ist für Sie hier.', True),
    ("It's late on Sundays, but not before ten.", 'Sonntags ist es spät, aber nicht vor zehn Uhr.', True),
    ("It's late on Sundays, you know that well.", 'Sonntags ist es spät, das weißt du doch ganz genau.', False),
    ("\"It's late,\" said Mrs Koch, who had heard him.", '„Es ist spät“, sagte Frau Koch, die ihn gehört hatte.', False),
]


class FullForms(unittest.TestCase):
    """Of sentences, and of pairs."""

    def test_written_out(self):
        for english, expected in WRITTEN_OUT:
            with self.subTest(english):
                self.assertEqual(full_forms.written_out(english), expected)

    def test_in_register(self):
        for english, german, changes in IN_REGISTER:
            with self.subTest(german):
                self.assertEqual(full_forms.in_register(english, german) != english, changes)


if __name__ == '__main__':
    unittest.main()
