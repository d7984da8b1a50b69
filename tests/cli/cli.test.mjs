// The command line as a user calls it: output, exit codes, messages.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('../../', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'dragoman-cli-'));
after(() => rmSync(scratch, { recursive: true }));

function dragoman(args, input = '') {
  const run = spawnSync(join(root, 'build/native/dragoman'), args, { cwd: root, input, encoding: 'utf8' });
  return { status: run.status, out: run.stdout, err: run.stderr };
}

const translate = ['translate', '--model', 'weights/en-de'];

test('a line in, a line out, in order', () => {
  const { status, out } = dragoman(translate, 'Good morning!\n\n42\nThe door is open.\n');
  assert.equal(status, 0);
  assert.equal(out, 'Guten Morgen!\n\n42\nDie Tür ist offen.\n');
});

test('the last line needs no line feed; an empty input gives an empty output', () => {
  assert.equal(dragoman(translate, 'Good morning!').out, 'Guten Morgen!\n');
  assert.deepEqual(dragoman(translate, ''), { status: 0, out: '', err: '' });
});

test('invalid UTF-8 is replaced, not refused', () => {
  const { status, out } = dragoman(translate, Buffer.from([0x47, 0x6f, 0x6f, 0x64, 0xff, 0x0a, 0xc3, 0x0a]));
  assert.equal(status, 0);
  assert.equal(out.split('\n').length, 3);
});

test('--json gives translation, tokens, score and time', () => {
  const { out } = dragoman([...translate, '--json'], 'Good morning!\n');
  const line = JSON.parse(out);
  assert.equal(line.translation, 'Guten Morgen!');
  assert.equal(line.tokens, 4);
  assert.ok(line.log_probability < 0 && line.log_probability > -5);
  assert.ok(line.milliseconds > 0);
  assert.deepEqual(line.alternatives, []);
  const { source, target, links } = line.alignment.words;
  assert.deepEqual(
    links.map(([s, t]) => [line.source.slice(...source[s]), line.translation.slice(...target[t])]),
    [
      ['Good', 'Guten'],
      ['morning', 'Morgen'],
      ['!', '!'],
    ],
  );
});

test('--beam finds likelier translations, and --json shows what else it found', () => {
  const text = 'We are going to the beach tomorrow, although it will rain.\nGood morning! How are you?\n';
  const translations = (...more) =>
    dragoman([...translate, ...more, '--json'], text)
      .out.trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const [greedy, both] = translations(),
    [beam, two] = translations('--beam', '4');
  assert.ok(beam.log_probability / (beam.tokens + 1) >= greedy.log_probability / (greedy.tokens + 1));
  assert.equal(new Set([beam.translation, ...beam.alternatives]).size, 4);
  assert.equal(two.sentences, both.sentences);
  assert.deepEqual(two.alternatives, []); // of a whole text there are too many
});

test('any number of threads gives the same', () => {
  const text = Array.from({ length: 40 }, (_, i) => `I have ${i} books. Where is the station?\n`).join('');
  const { out } = dragoman([...translate, '--threads', '1'], text);
  assert.equal(out.split('\n').length, 41);
  assert.equal(dragoman([...translate, '--threads', '3'], text).out, out);
  assert.equal(dragoman([...translate, '--no-shortlist'], text).out, out);
});

test('checking the shortlist of a model that has none exits with 1 and says what makes one', () => {
  const { status, err } = dragoman(['shortlist', '--model', 'weights/en-de'], 'Good morning!\n');
  assert.equal(status, 1);
  assert.match(err, /weights\/en-de has no shortlist: scripts\/models\/shortlist\.py/);
});

test('bench prints rates and bytes', () => {
  const { status, out } = dragoman(['bench', '--model', 'tests/data/tiny-int8']);
  assert.equal(status, 0);
  assert.match(out, /^decoder,16,\d/m);
  assert.match(out, /^weights,\d+$/m);
});

test('translations that are given are as probable as the reference says', () => {
  const pairs = [
    ['Where is the station?', 'Wo ist der Bahnhof?'],
    ['Where is the station?', 'Die Katze schläft. 🐈'],
    ['The children are playing in the garden.', 'Im Garten spielen die Kinder.'],
    ['I like books.', ''],
  ];
  const lines = pairs.map((pair) => `${pair.join('\t')}\n`).join('');
  // Where weights are integers, an activation that lies between two levels may fall to either side, and the less probable a
  // translation is, the more that moves: by ten nats a tolerance each.
  for (const [model, how, tolerance] of [
    ['tests/data/tiny-f16', [], 1e-4],
    ['weights/en-de', ['--int8'], 0.1],
  ]) {
    const reference = spawnSync('scripts/models/reference.py', [model, '--score', ...how], { cwd: root, input: lines });
    const expected = String(reference.stdout).trimEnd().split('\n').map(Number);
    const found = dragoman(['score', '--model', model, '--json'], lines).out.trimEnd().split('\n').map(JSON.parse);
    const plain = dragoman(['score', '--model', model], lines).out.trimEnd().split('\n').map(Number);
    assert.equal(found.length, pairs.length);
    for (const [i, { translation, log_probability, scores }] of found.entries()) {
      assert.equal(translation, pairs[i][1]);
      const allowed = tolerance * Math.max(1, -expected[i] / 10);
      assert.ok(Math.abs(log_probability - expected[i]) < allowed, `${log_probability}, by the reference ${expected[i]}`);
      assert.ok(Math.abs(log_probability - scores.sentences[0][2]) < 1e-4);
      assert.ok(Math.abs(log_probability - plain[i]) < 1e-3);
    }
  }
  const { status, err } = dragoman(['score', '--model', 'weights/en-de'], 'no tab\n');
  assert.equal(status, 1);
  assert.match(err, /^dragoman: invalid-argument: no tab .*: no tab\n$/);
});

test('a prefix is what translations begin with, and next words follow it', () => {
  const prefix = ['--beam', '4', '--prefix', 'An welchem Ort '];
  assert.match(dragoman([...translate, ...prefix], 'Where is the station?\n').out, /^An welchem Ort \p{L}.*\?\n$/u);
  const next = ['--json', '--next-words', '3', '--prefix', 'Wo ist der Bahnh'];
  const { next_words } = JSON.parse(dragoman([...translate, ...next], 'Where is the station?\n').out);
  assert.equal(next_words.length, 3);
  assert.equal(next_words[0].text, 'of');
  assert.ok(next_words[0].probability > 0.5 && next_words[0].probability <= 1);
  const { status, err } = dragoman([...translate, '--prefix', 'x'], 'One. Two.\n');
  assert.equal(status, 1);
  assert.match(err, /^dragoman: invalid-argument: the text has 2 sentences.*\n$/);
  assert.equal(dragoman([...translate, '--next-words', '3'], 'x\n').status, 2);
});

test('--glossary says what terms become, --seed what chance draws', () => {
  const file = join(scratch, 'terms.tsv');
  writeFileSync(file, 'station\tHaltestelle\r\n\nhouse\tGebäude\n');
  assert.match(dragoman([...translate, '--glossary', file], 'Where is the station?\n').out, /Haltestelle\?\n$/);
  writeFileSync(file, 'station Haltestelle\n');
  const { status, err } = dragoman([...translate, '--glossary', file], 'x\n');
  assert.equal(status, 1);
  assert.match(err, /^dragoman: invalid-argument: not a term, a tab .*: station Haltestelle\n$/);
  const missing = dragoman([...translate, '--glossary', '/nowhere'], 'x\n');
  assert.equal(missing.status, 2);
  const draw = (...options) =>
    dragoman([...translate, '--temperature', '1.5', ...options], 'The children play in the garden.\n').out;
  assert.equal(draw('--seed', '7'), draw('--seed', '7', '--threads', '1'));
  assert.notEqual(draw('--seed', '7'), draw('--seed', '8'));
  assert.equal(draw('--top-k', '1'), dragoman(translate, 'The children play in the garden.\n').out);
  assert.equal(dragoman([...translate, '--top-k', '1'], 'x\n').status, 2);
  assert.equal(dragoman([...translate, '--temperature', '1', '--beam', '4'], 'x\n').status, 1);
});

test('bad usage exits with 2', () => {
  for (const args of [[], ['translate'], ['nonsense'], [...translate, '--beam', '17'], [...translate, '--what']]) {
    const { status, out, err } = dragoman(args);
    assert.equal(status, 2, args.join(' '));
    assert.equal(out, '');
    assert.notEqual(err, '');
  }
  assert.equal(dragoman(['--help']).status, 0);
});

test('a folder that is no model exits with 1 and one line that names the file', () => {
  const { status, err } = dragoman(['translate', '--model', '/nowhere'], 'x\n');
  assert.equal(status, 1);
  assert.match(err, /^dragoman: io: cannot read \/nowhere\/config\.json.*\n$/);
});

test('a truncated model exits with 1 and says so', () => {
  const folder = join(scratch, 'cut');
  cpSync(join(root, 'tests/data/tiny-int8'), folder, { recursive: true });
  const model = join(folder, 'model.safetensors');
  truncateSync(model, readFileSync(model).length - 100);
  const { status, err } = dragoman(['translate', '--model', folder], 'x\n');
  assert.equal(status, 1);
  assert.match(err, /^dragoman: bad-model: .*cut off.*\n$/);
});

// Firefox's files under their names, as `pack` packs them.
function marianFolder(name, pack = (bytes) => bytes, ending = '') {
  const folder = join(scratch, name);
  mkdirSync(folder);
  for (const [from, to] of Object.entries({
    'tiny-marian/model.ende.intgemm.alphas.bin': 'model.ende.intgemm.alphas.bin',
    'tiny-marian/lex.ende.s2t.bin': 'lex.50.50.ende.s2t.bin',
    'tiny-ssru/source.spm': 'srcvocab.ende.spm',
    'tiny-ssru/target.spm': 'trgvocab.ende.spm',
  })) {
    writeFileSync(join(folder, to + ending), pack(readFileSync(join(root, 'tests/data', from))));
  }
  return folder;
}

const zstd = (input) => spawnSync('zstd', ['-q', '-c'], { input, maxBuffer: 1 << 28 }).stdout;

test("a folder with Bergamot's files is translated with, packed or not", () => {
  const { cases } = JSON.parse(readFileSync(join(root, 'tests/data/tiny-marian/golden.json'), 'utf8'));
  const sources = cases.map(({ source }) => `${source}\n`).join('');
  const plain = marianFolder('bergamot');
  const whole = dragoman(['translate', '--no-shortlist', '--model', plain], sources);
  const golden = cases.map(({ greedy }) => `${Array.from(greedy, (char) => (char < ' ' ? ' ' : char)).join('')}\n`).join('');
  assert.equal(whole.out, golden);
  const listed = dragoman(['translate', '--model', plain], sources);
  assert.equal(listed.status, 0);
  assert.notEqual(listed.out, golden); // the shortlist is one of random pieces
  for (const [pack, ending] of [
    [gzipSync, '.gz'],
    [zstd, '.zst'],
    [(bytes) => Buffer.concat([zstd(bytes.subarray(0, 5000)), zstd(bytes.subarray(5000))]), '.zst'],
  ]) {
    const packed = marianFolder(`bergamot${ending}${pack.length}${pack.name}`, pack, ending);
    assert.equal(dragoman(['translate', '--model', packed], sources).out, listed.out, ending);
  }
  assert.equal(dragoman(['bench', '--model', plain]).status, 0);
});

test("what is wrong with a folder of Bergamot's files is said in one line", () => {
  const failure = (folder) => {
    const { status, err } = dragoman(['translate', '--model', folder], 'x\n');
    assert.equal(status, 1);
    return err;
  };
  const missing = marianFolder('bergamot-missing');
  rmSync(join(missing, 'trgvocab.ende.spm'));
  assert.match(failure(missing), /^dragoman: io: cannot read .*vocab\.\*\.spm.*\n$/);
  const twice = marianFolder('bergamot-twice');
  cpSync(join(twice, 'model.ende.intgemm.alphas.bin'), join(twice, 'model.ende.intgemm8.bin'));
  assert.match(failure(twice), /^dragoman: io: .* holds more than one model\.\*\.bin: .*\n$/);
  for (const [ending, pack] of Object.entries({ '.gz': gzipSync, '.zst': zstd })) {
    const damaged = marianFolder(`bergamot${ending}-damaged`, pack, ending);
    const file = join(damaged, `model.ende.intgemm.alphas.bin${ending}`);
    const packed = readFileSync(file);
    for (const wrong of [
      packed.subarray(0, 5000),
      Buffer.alloc(0),
      Buffer.concat([packed, Buffer.alloc(9, 1)]),
      Buffer.alloc(99, 1),
    ]) {
      writeFileSync(file, wrong);
      assert.match(failure(damaged), /^dragoman: io: .*model\.ende\.intgemm\.alphas\.bin\.(gz|zst) is damaged: .*\n$/);
    }
  }
  const bomb = marianFolder('bergamot-bomb', zstd, '.zst');
  const block = Buffer.from([0x02, 0x00, 0x10, 0]); // 128 KB of the byte 0
  const blocks = Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x58]), ...Array(100_000).fill(block)]);
  writeFileSync(join(bomb, 'model.ende.intgemm.alphas.bin.zst'), blocks);
  assert.match(failure(bomb), /^dragoman: io: .* unpacks to more than any model has\n$/);
  const alone = marianFolder('bergamot-one-side');
  cpSync(join(alone, 'srcvocab.ende.spm'), join(alone, 'vocab.ende.spm'));
  rmSync(join(alone, 'srcvocab.ende.spm'));
  assert.match(failure(alone), /^dragoman: bad-vocabulary: the vocabulary has 320 pieces; the model asks for 344\n$/);
});
