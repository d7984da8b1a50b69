/**
 * node tests/soak/node.mjs MINUTES [MODEL_DIR TEXT]: an endless text through the package's example in Node, as fast as it is
 * translated; what memory does, and whether all of it comes out as the first of it did. Ends with 1 if not, or if memory grows with
 * the text. With a model of some thousand weights and a text of its own (`scripts/soak MINUTES tiny`), what is around the model
 * gets a hundred times as much to do.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildPackage } from '../../scripts/site/package.mjs';
import { report } from './slope.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const MEGABYTE = 1e6;
// What nobody holds on to is collected soon: growth is then growth.
const SMALL_HEAP = ['--max-old-space-size=48', '--max-semi-space-size=1', '--expose-gc'];
const COLLECT = 'setInterval(gc, 5000).unref();';
const minutes = Number(process.argv[2]);
if (!(minutes > 0)) throw new Error('How many minutes?');
const [model, text = join(root, 'scripts/benchmark/en200.txt')] = process.argv.slice(3);
const SENTENCES = await readFile(text, 'utf8');

async function installed() {
  const folder = await mkdtemp(join(root, 'build/soak-'));
  await buildPackage(join(folder, 'package'));
  await cp(join(root, 'web/examples/node'), folder, { recursive: true });
  await mkdir(join(folder, 'node_modules'));
  await symlink(join(folder, 'package'), join(folder, 'node_modules/dragoman'));
  return folder;
}

/** A module that makes the model in a folder the package's own from English to German. */
async function registration(directory) {
  const files = ['config.json', 'model.safetensors', 'vocab.spm'].map(async (name) => {
    const path = resolve(directory, name);
    const content = await readFile(path);
    const sha256 = createHash('sha256').update(content).digest('hex');
    return { name, path: pathToFileURL(path).href, bytes: content.length, sha256 };
  });
  const models = [{ sourceLanguage: 'en', targetLanguage: 'de', files: await Promise.all(files) }];
  return `import { Dragoman } from 'dragoman'; Dragoman.registerModel(${JSON.stringify({ version: 1, models })});`;
}

/** What it has written and shares with nobody, in bytes. */
async function memoryOf(pid) {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Private_Dirty:\s+(\d+)/m.exec(rollup)[1]) * 1024;
}

const folder = await installed();
await writeFile(join(folder, 'register.mjs'), `${COLLECT}${model ? await registration(model) : ''}`);
const command = [...SMALL_HEAP, '--import', './register.mjs', 'translate.mjs', 'en', 'de'];
const child = spawn(process.execPath, command, { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
const begun = Date.now();
const read = (async () => {
  const samples = [];
  let first;
  let out = '';
  let repeats = 0;
  const count = SENTENCES.split('\n').length - 1;
  for await (const text of child.stdout.setEncoding('utf8')) {
    out += text;
    const found = out.split('\n');
    if (found.length <= count) continue;
    const translations = found.splice(0, count);
    out = found.join('\n');
    first ??= translations;
    assert.deepEqual(translations, first, `repeat ${repeats}`);
    repeats++;
    samples.push([(Date.now() - begun) / 3_600_000, await memoryOf(child.pid)]);
  }
  assert.equal(out, '', 'nothing is left over');
  return { samples, repeats };
})();
const closed = once(child, 'close');
let written = 0;
while (Date.now() < begun + minutes * 60_000) {
  written++;
  if (!child.stdin.write(SENTENCES)) await Promise.race([once(child.stdin, 'drain'), closed]);
}
child.stdin.end();
const { samples, repeats } = await read;
await rm(folder, { recursive: true });
assert.equal(repeats, written, 'all of it is translated');
const seconds = (Date.now() - begun) / 1000;
const megabytes = (written * Buffer.byteLength(SENTENCES)) / MEGABYTE;
console.log(`Node, ${megabytes.toFixed(2)} MB of text in ${seconds.toFixed(0)} s, translated the same each of ${repeats} times`);
if (report({ 'memory of the process': samples })) process.exitCode = 1;
