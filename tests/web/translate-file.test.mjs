/** The package's command as a user calls it: output, exit codes, messages. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { expected } from './support/expected.mjs';
import { makePackage } from './support/made.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SENTENCES = ['Good morning!', 'Where is the station?', 'I like to read books in the evening.'];
const translations = await expected(SENTENCES);
let folder;

before(async () => {
  folder = await mkdtemp(join(root, 'build/command-test-'));
  await makePackage(join(folder, 'package'));
});

after(() => rm(folder, { recursive: true, force: true }));

async function dragoman(...given) {
  const child = spawn(process.execPath, [join(folder, 'package/dist/node-cli.js'), ...given], { cwd: folder });
  const ended = new Promise((resolve) => child.on('close', resolve));
  const [out, err, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { status, out, err };
}

const translate = (...files) => dragoman('translate-file', '--from', 'en', '--to', 'de', ...files);

test('a text, on one thread and on two; the end is told on stderr', async () => {
  const lines = (sentences) => `${sentences.join('\r\n\r\n')}\r\n`;
  await writeFile(join(folder, 'in.txt'), lines([...SENTENCES, ...SENTENCES]));
  for (const threads of ['1', '2']) {
    const { status, out, err } = await translate('--threads', threads, 'in.txt', 'out.txt');
    assert.equal(status, 0, err);
    assert.equal(out, '');
    assert.match(err, /^(\d+ %(, .* left)?\n)+out\.txt: 6 segments in \d+\.\d s\n$/);
    assert.equal(await readFile(join(folder, 'out.txt'), 'utf8'), lines([...translations, ...translations]));
  }
});

test('structure and formatting stay', async () => {
  const source = `# ${SENTENCES[0]}\n\n- Where is the [station](map.html)?\n\n\`\`\`\ncode\n\`\`\`\n`;
  await writeFile(join(folder, 'in.md'), source);
  const { status, err } = await translate('in.md', 'out.md');
  assert.equal(status, 0, err);
  const [title, item, ...rest] = (await readFile(join(folder, 'out.md'), 'utf8')).split('\n\n');
  assert.equal(title, `# ${translations[0]}`);
  assert.match(item, /^- .*\[[^\]]+\]\(map\.html\)/);
  assert.equal(item.replace('(map.html)', '').replace(/[[\]]/g, ''), `- ${translations[1]}`);
  assert.deepEqual(rest, ['```\ncode\n```\n']);
});

test('--help; bad usage exits with 2', async () => {
  const help = await dragoman('--help');
  assert.equal(help.status, 0);
  assert.match(help.out, /usage: dragoman translate-file --from en --to de/);
  const direction = ['translate-file', '--from', 'en', '--to', 'de'];
  for (const given of [
    [],
    ['translate'],
    direction,
    [...direction, 'a.txt'],
    [...direction, 'a.txt', 'b.txt', 'c.txt'],
    ['translate-file', 'a.txt', 'b.txt'],
    [...direction, '--threads', '0', 'a.txt', 'b.txt'],
    [...direction, '--what', 'a.txt', 'b.txt'],
  ]) {
    const { status, out, err } = await dragoman(...given);
    assert.equal(status, 2, given.join(' '));
    assert.equal(out, '');
    assert.match(err, /^dragoman: .+\nusage:/, given.join(' '));
  }
});

test('all else exits with 1 and one line, and leaves nothing behind', async () => {
  await writeFile(join(folder, 'wrong.srt'), 'No subtitle.');
  await writeFile(join(folder, 'one.txt'), 'One.');
  const before = await readdir(folder);
  for (const [given, message] of [
    [['nowhere.txt', 'x.txt'], /^dragoman: io: .*nowhere\.txt.*\n$/],
    [['wrong.srt', 'x.srt'], /^dragoman: bad-file: .*no subtitles.*\n$/],
    [['one.pdf', 'x.pdf'], /^dragoman: io: .*\n$/],
    [['package/package.json', 'x.json'], /^dragoman: not-supported: .*cannot read package\/package\.json.*\n$/],
    [['one.txt', 'no/where.txt'], /^(\d+ %\n)*dragoman: io: .*no\/where\.txt.*\n$/],
  ]) {
    const { status, out, err } = await translate(...given);
    assert.equal(status, 1, given.join(' '));
    assert.equal(out, '');
    assert.match(err, message);
  }
  const { status, err } = await dragoman('translate-file', '--from', 'en', '--to', 'ja', 'one.txt', 'x.txt');
  assert.equal(status, 1);
  assert.match(err, /^dragoman: not-supported: There is no model to translate from en to ja\.\n$/);
  assert.deepEqual(await readdir(folder), before);
});
