"""Text for another round of training out of a trained model: sequence-level interpolation (Kim & Rush 2016, section 3.3).

Each source sentence is translated by beam search, and of what the beam found the translation closest to the reference takes
the reference's place; where even that is far from it, the pair is left out. A model trained on such text writes greedily about
what took a beam before, because what it is asked for is what it can write.
"""
import json
import os
import random
import subprocess
import tempfile

import bleu
import parallel
import text

LEAST = 55      # chrF2 of a translation that is kept: below, most are wrong


def sample(files, languages, stated, seed=1):
    """(source, target) pairs of PATH[:COUNT] each: COUNT taken at random, or all."""
    taken = []
    for file in files:
        path, _, count = file.partition(':')
        found = [pair for pair in text.read_pairs(path, languages, stated) if text.is_clean(*pair)]
        taken += random.Random(seed).sample(found, min(int(count), len(found))) if count else found
    return taken


def translations(core, model, lines, beam):
    """For each line what the beam found, best first; one only for a line of several sentences."""
    with tempfile.TemporaryFile('w+', encoding='utf-8') as file:
        file.writelines(f'{line}\n' for line in lines)
        file.seek(0)
        command = [core, 'translate', '--model', model, '--beam', str(beam), '--threads', '1', '--json']
        with subprocess.Popen(command, stdin=file, stdout=subprocess.PIPE, text=True, encoding='utf-8') as run:
            for line in run.stdout:
                result = json.loads(line)
                yield [result['translation'], *result['alternatives']]
        if run.returncode:
            raise subprocess.CalledProcessError(run.returncode, command)


def distil(core, model, files, out, beam, stated=None):
    """Write the interpolated pairs to `out`, each as it is found. `stated`: languages of the columns of all files, `out` too."""
    with open(os.path.join(model, 'config.json'), encoding='utf-8') as file:
        config = json.load(file)
    languages = config['source_language'], config['target_language']
    first, second = parallel.order(out, *languages, stated)
    taken, kept = sample(files, languages, stated), 0
    choices = translations(core, model, [source for source, _ in taken], beam)
    with open(out, 'w', encoding='utf-8') as file:
        for done, ((source, target), choice) in enumerate(zip(taken, choices, strict=True), 1):
            score, best = max((bleu.chrf2([translation], [target]), translation) for translation in choice)
            if score >= LEAST:
                sides = source, best
                file.write(f'{sides[first]}\t{sides[second]}\n')
                kept += 1
            if done % 1000 == 0 or done == len(taken):
                print(f'{done:,} of {len(taken):,} pairs, {kept:,} kept', flush=True)
