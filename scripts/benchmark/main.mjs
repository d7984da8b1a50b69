/** Measures, prints, writes JSON; see scripts/bench for the options. */
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { launchChromium } from '../../tests/web/support/chromium.mjs';
import { measureOwn, printOwn } from './own.mjs';
import { measureGrowth, measureKernels, printGrowth, printKernels } from './parts.mjs';
import { measureProfile, printProfile } from './profile.mjs';
import { race } from './race.mjs';
import { printRace } from './race_report.mjs';
import { printShapeRace, raceShape } from './shape_race.mjs';
import { openBenchSite } from './site.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SHAPES = ['tiny', 'base-memory'];
const USAGE =
  'usage: scripts/bench [--repeat 5] [--out build/bench.json] | --quick | --peers [--shape tiny|base-memory] | --kernels | --profile';

function options() {
  const { values } = parseArgs({
    options: {
      repeat: { type: 'string', default: '5' },
      out: { type: 'string' },
      quick: { type: 'boolean', default: false },
      peers: { type: 'boolean', default: false },
      kernels: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      shape: { type: 'string' },
    },
  });
  const repeat = values.quick ? 1 : Number(values.repeat);
  if (!Number.isInteger(repeat) || repeat < 1) throw new Error(`--repeat ${values.repeat} is not a number of repetitions`);
  if (['quick', 'peers', 'kernels', 'profile'].filter((mode) => values[mode]).length > 1) throw new Error('one mode at a time');
  if (values.shape !== undefined && !values.peers) throw new Error('--shape goes with --peers');
  if (values.shape !== undefined && !SHAPES.includes(values.shape))
    throw new Error(`--shape ${values.shape} is none of ${SHAPES}`);
  // A quick look must not take the place of a real run's result.
  const kind = ['kernels', 'profile', 'shape'].find((mode) => values[mode]);
  const name = kind ? `bench-${values.shape ?? kind}.json` : 'bench.json';
  const out = values.out ?? (values.quick ? undefined : join(root, 'build', name));
  return { ...values, repeat, out };
}

const say = (what) => process.stderr.write(`bench: ${what}\n`);

async function main(options) {
  const site = options.quick ? undefined : await openBenchSite(join(root, 'build/bench/site'));
  const browser = site && (await launchChromium());
  const chromium = site && { browser, url: site.url, folder: site.folder };
  try {
    const bench = options.kernels ? benchKernels : options.profile ? benchProfile : options.shape ? benchShape : benchWhole;
    const results = await bench(chromium, options);
    if (options.out) await write(options, browser?.version(), results);
  } finally {
    await browser?.close();
    site?.close();
  }
}

async function benchKernels(chromium) {
  say('the kernels, natively and in Chromium');
  const kernels = await measureKernels(root, chromium);
  printKernels(kernels);
  return { kernels };
}

async function benchProfile(chromium, { repeat }) {
  say('the 200 sentences under the profiler, in Chromium');
  const profile = await measureProfile(root, chromium, repeat);
  printProfile(profile);
  return { profile };
}

async function benchShape(chromium, { shape, repeat }) {
  const race = await raceShape(root, join(root, 'weights/en-de'), chromium, shape, repeat, say);
  printShapeRace(race);
  return { repeat, ...race };
}

async function benchWhole(chromium, { repeat, peers }) {
  const model = join(root, 'weights/en-de');
  say(`${repeat} repetition${repeat > 1 ? 's' : ''} in Node${chromium ? ' and Chromium' : ''}`);
  const own = await measureOwn(root, model, chromium, repeat);
  printOwn(own);
  const growth = chromium && (await measureGrowth(root, model, chromium));
  if (growth) printGrowth(growth);
  const raced = peers ? await race(root, model, chromium, repeat, say) : undefined;
  if (raced) printRace(raced, own.sizes.weights);
  return { repeat, own, growth, race: raced };
}

async function write({ out }, chromium, results) {
  const machine = { processor: cpus()[0].model, cores: cpus().length, node: process.version, chromium };
  const commit = execFileSync('git', ['-C', root, 'describe', '--always', '--dirty'], { encoding: 'utf8' }).trim();
  await mkdir(dirname(out), { recursive: true });
  await writeFile(out, `${JSON.stringify({ commit, machine, ...results }, null, 1)}\n`);
  say(`written to ${out}`);
}

let parsed;
try {
  parsed = options();
} catch (error) {
  console.error(`bench: ${/** @type {Error} */ (error).message}\n${USAGE}`);
  process.exit(2);
}
await main(parsed).catch((error) => {
  console.error(`bench: ${error.stack}`);
  process.exitCode = 1;
});
