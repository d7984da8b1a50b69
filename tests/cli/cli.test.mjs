// The command line as a user calls it: output, exit codes, messages.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

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
