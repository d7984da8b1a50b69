/**
 * Dragoman and Bergamot on the same files of random weights and their shortlist, of a shape of Firefox's models: speed and memory, for outputs
 * of equal length.
 */
import { createHash } from 'node:crypto';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Contender } from './contender.mjs';
import { convert, installPeers, prepareBergamot } from './peers.mjs';
import { median, medians } from './statistics.mjs';
import { FORMATS, printTable } from './table.mjs';

const SENTENCES = 50; // of the 200: the outputs are long
const CALIBRATION_SENTENCES = 10;
const ARRIVAL = 'The old lighthouse on the northern coast was repaired last year.';
const EXTRA_TOKENS = 16; // our limit: twice the source and these

/**
 * @param {string} root of the repository
 * @param {string} base model folder whose vocabulary is used
 * @param {{url: string, folder: string}} site its only direction becomes the one of random weights
 * @param {string} shape of make_shape.py
 * @param {number} repeat
 * @param {(what: string) => void} say
 */
export async function raceShape(root, base, site, shape, repeat, say) {
  const texts = (await readFile(fileURLToPath(new URL('en200.txt', import.meta.url)), 'utf8'))
    .trim()
    .split('\n')
    .slice(0, SENTENCES);
  const model = join(root, 'build/bench', shape);
  say('making the weights');
  await convert('make_shape.py', [model, base, shape], []);
  const peers = join(root, 'build/bench/peers');
  await installPeers(peers);
  const pairs = texts.slice(0, CALIBRATION_SENTENCES).map((text) => [text, text]);
  const layPeer = (lengthFactor) => prepareBergamot(peers, site.folder, model, pairs, lengthFactor);
  await layPeer();
  await copyFile(join(model, 'lex.bin'), join(site.folder, 'peers/bergamot/lex.bin'));
  const weights = await layModel(join(site.folder, 'peers/bergamot'), join(model, 'vocab.spm'), site.folder);
  const contenders = [];
  const enter = async (about) => {
    const page = await Contender.open(site.url, `engine=${about.name}`);
    const contender = { ...about, page, rounds: [] };
    contenders.push(contender);
    await page.run('load');
    contender.output = (await page.run('oneByOne', texts)).result;
    contender.tokens = total(contender.output);
    contender.firstEqual = contender.output.filter((text, i) => tokens(text)[0] === tokens(contenders[0].output[i])[0]).length;
    say(`${about.title}: ${contender.tokens} tokens, the first as Dragoman's in ${contender.firstEqual} of ${texts.length}`);
    return contender;
  };
  try {
    const { tokens: written } = await enter({ name: 'dragoman', title: 'Dragoman' });
    const lengthFactor = (2 * written) / (written - EXTRA_TOKENS * texts.length);
    await enter(await layPeer(lengthFactor));
    for (let i = 0; i < repeat; i++) {
      say(`round ${i + 1} of ${repeat}`);
      for (const { page, rounds } of contenders) rounds.push(await round(page, texts));
      for (const { page, rounds } of contenders) rounds.at(-1).arrivalMs = await page.revisit(ARRIVAL);
    }
    const results = contenders.map(({ title, tokens, firstEqual, rounds }) => ({
      title,
      tokens,
      firstEqual,
      rounds,
      figures: medians(rounds),
    }));
    return { shape, weights, results };
  } finally {
    for (const { page } of contenders) await page?.close();
  }
}

/** Only pieces of this form are ever written: make_shape.py. */
const tokens = (text) => text.match(/unused\d+/g) ?? [];
const total = (texts) => texts.reduce((count, text) => count + tokens(text).length, 0);

async function round(page, texts) {
  const alone = await page.run('oneByOne', texts);
  const together = await page.run('atOnce', texts);
  return {
    tokensPerSecond: (1000 * total(alone.result)) / alone.ms,
    tokensPerSecondAtOnce: (1000 * total(together.result)) / together.ms,
    wasmBytes: await page.run('wasmBytes'),
  };
}

/**
 * Bergamot's own files, for Dragoman to read as well.
 * @returns {Promise<number>} bytes
 */
async function layModel(peer, vocabulary, site) {
  const files = await Promise.all(
    Object.entries({ 'model.bin': join(peer, 'model.bin'), 'lex.bin': join(peer, 'lex.bin'), 'vocab.spm': vocabulary }).map(
      async ([name, path]) => {
        const content = await readFile(path);
        await copyFile(path, join(site, 'weights/en-de', name));
        return { name, path: `en-de/${name}`, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
      },
    ),
  );
  const direction = { sourceLanguage: 'en', targetLanguage: 'de', format: 'bergamot', files };
  await writeFile(join(site, 'weights/manifest.json'), JSON.stringify({ version: 1, models: [direction] }));
  return files[0].bytes;
}

/** @param {Awaited<ReturnType<typeof raceShape>>} race */
export function printShapeRace({ shape, weights, results: [own, peer] }) {
  console.log(
    `\nrandom weights of the shape ${shape}, ${weights} bytes: ${own.tokens} and ${peer.tokens} tokens, the first equal in ${peer.firstEqual} sentences`,
  );
  const row = (figure, format, name) => {
    const ratio = median(own.rounds.map((round, i) => round[name] / peer.rounds[i][name]));
    return [figure, FORMATS[format](own.figures[name]), FORMATS[format](peer.figures[name]), FORMATS.ratio(ratio)];
  };
  printTable(
    ['figure', own.title, peer.title, 'ratio'],
    [
      row(`${SENTENCES} sentences at once, tokens/s`, 'rate', 'tokensPerSecondAtOnce'),
      row('sentence after sentence, tokens/s', 'rate', 'tokensPerSecond'),
      row('navigation to first translation, ms', 'ms', 'arrivalMs'),
      row('wasm memory, bytes', 'bytes', 'wasmBytes'),
    ],
  );
}
