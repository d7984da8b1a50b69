/** Measures, prints, writes JSON; see scripts/bench for the options. */
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { launchChromium } from '../../tests/web/support/chromium.mjs';
import { measureOwn, printOwn } from './own.mjs';
import { race } from './race.mjs';
import { printRace } from './race_report.mjs';
import { openBenchSite } from './site.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const USAGE = 'usage: scripts/bench [--repeat 5] [--out build/bench.json] | --quick | --peers';

function options() {
  const { values } = parseArgs({
    options: {
      repeat: { type: 'string', default: '5' },
      out: { type: 'string' },
      quick: { type: 'boolean', default: false },
      peers: { type: 'boolean', default: false },
    },
  });
  const repeat = values.quick ? 1 : Number(values.repeat);
  if (!Number.isInteger(repeat) || repeat < 1) throw new Error(`--repeat ${values.repeat} is not a number of repetitions`);
  if (values.quick && values.peers) throw new Error('--quick has no peers');
  // A quick look must not take the place of a real run's result.
  const out = values.out ?? (values.quick ? undefined : join(root, 'build/bench.json'));
  return { ...values, repeat, out };
}

const say = (what) => process.stderr.write(`bench: ${what}\n`);

async function main({ repeat, out, quick, peers }) {
  const model = join(root, 'weights/en-de');
  const site = quick ? undefined : await openBenchSite(join(root, 'build/bench/site'));
  const browser = site && (await launchChromium());
  try {
    say(`${repeat} repetition${repeat > 1 ? 's' : ''} in Node${browser ? ' and Chromium' : ''}`);
    const own = await measureOwn(root, model, browser && { browser, url: site.url }, repeat);
    printOwn(own);
    const raced = peers ? await race(root, model, site, repeat, say) : undefined;
    if (raced) printRace(raced, own.sizes.weights);
    if (!out) return;
    const machine = { processor: cpus()[0].model, cores: cpus().length, node: process.version, chromium: browser?.version() };
    const commit = execFileSync('git', ['-C', root, 'describe', '--always', '--dirty'], { encoding: 'utf8' }).trim();
    await mkdir(dirname(out), { recursive: true });
    await writeFile(out, `${JSON.stringify({ commit, machine, repeat, own, race: raced }, null, 1)}\n`);
    say(`written to ${out}`);
  } finally {
    await browser?.close();
    site?.close();
  }
}

let parsed;
try {
  parsed = options();
} catch (error) {
  console.error(`bench: ${error.message}\n${USAGE}`);
  process.exit(2);
}
await main(parsed).catch((error) => {
  console.error(`bench: ${error.stack}`);
  process.exitCode = 1;
});
