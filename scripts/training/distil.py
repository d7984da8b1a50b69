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
import text

COLUMNS = {'en': 0, 'de': 1}
LEAST = 55      # chrF2 of a translation that is kept: below, most are wrong


def sample(files, seed=1):
    """Pairs of PATH[:COUNT] each: COUNT taken at random, or all."""
    pairs = []
    for file in files:
        path, _, count = file.partition(':')
        found = [pair for pair in text.read_pairs(path) if text.is_clean(*pair)]
        pairs += random.Random(seed).sample(found, min(int(count), len(found))) if count else found
    return pairs


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


def distil(core, model, files, out, beam):
    """Write the interpolated pairs to `out`, each as it is found."""
    with open(os.path.join(model, 'config.json'), encoding='utf-8') as file:
        config = json.load(file)
    source, target = COLUMNS[config['source_language']], COLUMNS[config['target_language']]
    pairs, kept = sample(files), 0
    choices = translations(core, model, [pair[source] for pair in pairs], beam)
    with open(out, 'w', encoding='utf-8') as file:
        for done, (pair, choice) in enumerate(zip(pairs, choices, strict=True), 1):
            score, best = max((bleu.chrf2([translation], [pair[target]]), translation) for translation in choice)
            if score >= LEAST:
                columns = {source: pair[source], target: best}
                file.write(f'{columns[0]}\t{columns[1]}\n')
                kept += 1
            if done % 1000 == 0 or done == len(pairs):
                print(f'{done:,} of {len(pairs):,} pairs, {kept:,} kept', flush=True)
