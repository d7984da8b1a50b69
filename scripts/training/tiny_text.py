"""Two thousand pairs from a small grammar: enough regularity for a model of some thousand weights, enough grammar
(gender, case, agreement, word order) that copying words in place would not do.
"""
import itertools
import random

# English, German, gender: m, f, n
PEOPLE = [('man', 'Mann', 'm'), ('woman', 'Frau', 'f'), ('child', 'Kind', 'n'), ('dog', 'Hund', 'm'), ('cat', 'Katze', 'f'),
          ('girl', 'Mädchen', 'n'), ('baker', 'Bäcker', 'm'), ('teacher', 'Lehrerin', 'f')]
THINGS = [('bread', 'Brot', 'n'), ('book', 'Buch', 'n'), ('chair', 'Stuhl', 'm'), ('bag', 'Tasche', 'f'),
          ('apple', 'Apfel', 'm'), ('lamp', 'Lampe', 'f')]
VERBS = [('sees', 'sieht'), ('finds', 'findet'), ('buys', 'kauft'), ('takes', 'nimmt'), ('paints', 'malt')]
PLACES = [('', ''), (' in the garden', ' im Garten'), (' today', ' heute'), (' at home', ' zu Hause')]
SUBJECT_ARTICLE = {'m': 'Der', 'f': 'Die', 'n': 'Das'}
OBJECT_ARTICLE = {'m': 'den', 'f': 'die', 'n': 'das'}


def pairs(count=2000, seed=1):
    """`count` different (English, German) pairs, statements and questions, in random order."""
    made = []
    for who, verb, what, place in itertools.product(PEOPLE, VERBS, PEOPLE + THINGS, PLACES):
        subject, thing = f'{SUBJECT_ARTICLE[who[2]]} {who[1]}', f'{OBJECT_ARTICLE[what[2]]} {what[1]}'
        made.append((f'The {who[0]} {verb[0]} the {what[0]}{place[0]}.', f'{subject} {verb[1]} {thing}{place[1]}.'))
        # German asks by putting the verb first.
        asked = subject[0].lower() + subject[1:]
        made.append((f'Who {verb[0]} the {what[0]}{place[0]}, the {who[0]}?', f'Wer {verb[1]} {thing}{place[1]}, {asked}?'))
    return random.Random(seed).sample(made, count)
