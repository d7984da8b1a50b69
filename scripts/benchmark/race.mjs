/** Dragoman and other engines on the same weights, the same texts and the same browser, taking turns: A B A B. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Contender } from './contender.mjs';
import { runInNode } from './node.mjs';
import { ownWasm } from './own.mjs';
import { installPeers, preparePeers } from './peers.mjs';
import { sizes } from './sizes.mjs';
import { median, medians } from './statistics.mjs';

const FIFTEEN_WORDS = 'The old lighthouse on the northern coast was repaired last year after a winter storm.';
const FIRST_TEXTS = 5; // in a round: one is over in milliseconds
const GROWTH_LINES = 20;
const BEAM = 4; // the API's default

/**
 * @param {string} root of the repository
 * @param {string} model folder
 * @param {{url: string, folder: string}} site
 * @param {number} repeat
 * @param {(what: string) => void} say
 */
export async function race(root, model, site, repeat, say) {
  const texts = (await readFile(fileURLToPath(new URL('en200.txt', import.meta.url)), 'utf8')).trim().split('\n');
  const words = texts.join(' ').split(/\s+/).length;
  say('installing the peers and converting the weights for them');
  const folder = join(root, 'build/bench/peers');
  await installPeers(folder);
  const { translations } = await runInNode(model, { sentences: texts });
  const pairs = texts.map((text, i) => [text, translations[i]]);
  const peers = await preparePeers(folder, site.folder, model, pairs);
  const own = { name: 'dragoman', title: 'Dragoman', wasm: ownWasm(site.folder) };
  const beam = { ...own, name: 'dragoman-beam', title: `Dragoman, beam ${BEAM}`, query: `engine=dragoman&beam=${BEAM}` };
  /** @type {any[]} */
  const contenders = [own, beam, ...peers].map((about) => ({ ...about, rounds: [], arrivals: [] }));
  try {
    for (const contender of contenders) {
      say(`${contender.title}: does it say the same`);
      contender.page = await Contender.open(site.url, contender.query ?? `engine=${contender.name}`);
      await contender.page.run('load');
      contender.output = (await contender.page.run('oneByOne', texts)).result;
      contender.equal = contender.output.filter((text, i) => text === translations[i]).length;
      say(`${contender.title}: ${contender.equal} of ${texts.length} translations as Dragoman's`);
    }
    if (contenders[0].equal !== texts.length) throw new Error('Dragoman in Chromium and in Node translate differently');
    for (let i = 0; i < repeat; i++) {
      say(`round ${i + 1} of ${repeat}`);
      for (const contender of contenders) contender.rounds.push(await round(contender, texts, words));
    }
    for (const { page, arrivals } of turns(contenders, repeat)) {
      arrivals.push({ arrivalMs: await page.revisit(FIFTEEN_WORDS) });
    }
    const results = [];
    for (const { title, name, wasm, equal, rounds, arrivals } of contenders) {
      results.push({
        title,
        name,
        equal,
        of: texts.length,
        sizes: await sizes(wasm),
        rounds,
        figures: { ...medians(rounds), ...medians(arrivals) },
      });
    }
    return results;
  } finally {
    for (const { page } of contenders) await page?.close();
  }
}

function* turns(contenders, repeat) {
  for (let i = 0; i < repeat; i++) yield* contenders;
}

async function round({ name, page }, texts, words) {
  const alone = await page.run('oneByOne', texts);
  const together = await page.run('atOnce', texts);
  const firstTexts = [];
  for (let i = 0; i < FIRST_TEXTS; i++) firstTexts.push(await page.run('firstText', FIFTEEN_WORDS));
  const figures = {
    wordsPerSecond: (1000 * words) / alone.ms,
    wordsPerSecondAtOnce: (1000 * words) / together.ms,
    firstTextMs: median(firstTexts),
    wasmBytes: await page.run('wasmBytes'),
    rendererBytes: await page.rendererBytes(),
  };
  if (name !== 'dragoman') return figures;
  const few = texts.slice(0, GROWTH_LINES);
  const many = Array.from({ length: 10 }, () => few).flat();
  const [once, tenTimes] = [await page.run('atOnce', few), await page.run('atOnce', many)];
  return { ...figures, growth: tenTimes.ms / once.ms };
}
