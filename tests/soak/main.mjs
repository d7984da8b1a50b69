/**
 * node tests/soak/main.mjs MINUTES [Chromium|Firefox]: texts of all sizes, calls given up, translators destroyed, tabs opened and
 * closed, workers killed; then what memory did, whether anything is left, and whether the translations are those of the beginning.
 * Ends with 1 if a call failed as none may, a handle is left, or a translation changed.
 */
import assert from 'node:assert/strict';
import { cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HEADERS } from '../../scripts/site/serve.mjs';
import { launchChromium } from '../web/support/chromium.mjs';
import { launchFirefox } from '../web/support/firefox.mjs';
import { collectGarbage } from '../web/support/garbage.mjs';
import { openSite } from '../web/support/site.mjs';

const SENTENCES = (await readFile(new URL('../../scripts/benchmark/en200.txt', import.meta.url), 'utf8'))
  .split('\n')
  .slice(0, -1);
const PROBE = SENTENCES.slice(0, 40);
const SAMPLE_MS = 10_000;
const CRASH = `new BroadcastChannel('soak crash').onmessage = () => { throw new Error('killed by the soak'); };`;

/** Of all processes of the browser, what is theirs alone and their share of the rest: bytes. */
async function processMemory(root) {
  const parents = new Map();
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    parents.set(Number(pid), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
  }
  const ours = (pid) => pid === root || (pid > 1 && parents.has(pid) && ours(parents.get(pid)));
  let sum = 0;
  for (const pid of parents.keys()) {
    if (!ours(pid) || pid === root) continue;
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
    sum += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) * 1024;
  }
  return sum;
}

/** Of samples, by least squares, in percent of their mean an hour; and how much of that chance alone makes (one standard error). */
function slope(samples) {
  const n = samples.length;
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / n;
  const [x, y] = [samples.map(([hours]) => hours), samples.map(([, value]) => value)];
  const [mx, my] = [mean(x), mean(y)];
  const sxx = x.reduce((sum, value) => sum + (value - mx) ** 2, 0);
  const b = x.reduce((sum, value, i) => sum + (value - mx) * (y[i] - my), 0) / sxx;
  const rest = y.reduce((sum, value, i) => sum + (value - my - b * (x[i] - mx)) ** 2, 0);
  const percent = (value) => Math.round((10_000 * value) / my) / 100;
  return { mean: Math.round(my / 1e4) / 100, percentAnHour: percent(b), error: percent(Math.sqrt(rest / (n - 2) / sxx)) };
}

async function soak(browserName, minutes) {
  const site = await openSite();
  await cp(fileURLToPath(new URL('in_page.js', import.meta.url)), join(site.folder, 'soak.js'));
  for (const name of ['/worker.js', '/worker-threads.js']) {
    const script = await readFile(join(site.folder, name), 'utf8');
    site.rules.set(name, (_, response) =>
      response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/javascript' }).end(`${script};${CRASH}`),
    );
  }
  const chromium = browserName === 'Chromium';
  const browser = await (chromium ? launchChromium() : launchFirefox());
  const context = await browser.newContext();
  const openPage = async () => {
    const page = await context.newPage();
    await page.addInitScript(`window.collectGarbage = ${collectGarbage}`);
    await page.goto(`${site.url}blank.html`);
    await page.evaluate(async () => {
      window.soak = await import('/soak.js');
      await soak.open();
    });
    return page;
  };
  const page = await openPage();
  const session = chromium ? await context.newCDPSession(page) : undefined;
  const first = await page.evaluate((probe) => soak.translateAll(probe), PROBE);

  const samples = { 'wasm memory': [], 'JavaScript heap': [], 'memory of all processes': [] };
  const counts = { rounds: 0, tabs: 0, 'workers killed': 0 };
  const begun = Date.now();
  const hours = () => (Date.now() - begun) / 3_600_000;
  let sampled = begun;
  while (Date.now() < begun + minutes * 60_000) {
    const outcomes = await page.evaluate((sentences) => soak.round(sentences), SENTENCES);
    counts.rounds++;
    for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
    if (counts.rounds % 25 === 10) {
      const tab = await openPage();
      await tab.evaluate((sentences) => soak.round(sentences), SENTENCES);
      await tab.close();
      counts.tabs++;
    }
    if (counts.rounds % 60 === 40) {
      await page.evaluate((sentences) => soak.killWorkers(sentences), PROBE);
      counts['workers killed']++;
    }
    if (Date.now() < sampled + SAMPLE_MS) continue;
    sampled = Date.now();
    const wasm = await page.evaluate(() => soak.wasmMemory());
    if (wasm) samples['wasm memory'].push([hours(), wasm]);
    if (session) {
      await session.send('HeapProfiler.collectGarbage');
      samples['JavaScript heap'].push([hours(), (await session.send('Runtime.getHeapUsage')).usedSize]);
    } else {
      await page.evaluate(() => collectGarbage());
    }
    samples['memory of all processes'].push([hours(), await processMemory(process.pid)]);
  }

  assert.deepEqual(await page.evaluate((probe) => soak.translateAll(probe), PROBE), first, 'the translations of the beginning');
  await page.evaluate(() => soak.close());
  let left = 1;
  for (let tries = 0; left > 0 && tries < 100; tries++) {
    await new Promise((go) => setTimeout(go, 100));
    left = await page.evaluate(() => soak.workers());
  }
  assert.equal(left, 0, 'workers that are left');
  await browser.close();
  await site.close();

  console.log(`${browserName}, ${minutes} minutes: ${JSON.stringify(counts)}; no worker left, translations the same to the byte`);
  for (const [name, all] of Object.entries(samples)) {
    // The first third is warm-up.
    const steady = all.slice(Math.ceil(all.length / 3));
    if (steady.length < 5) continue;
    const { mean, percentAnHour, error } = slope(steady);
    console.log(`  ${name}: ${mean} MB, slope ${percentAnHour} % an hour, give or take ${error} (${steady.length} samples)`);
  }
}

const [minutes, only] = [Number(process.argv[2]), process.argv[3]];
if (!(minutes > 0)) throw new Error('How many minutes?');
for (const browserName of only ? [only] : ['Chromium', 'Firefox']) await soak(browserName, minutes);
