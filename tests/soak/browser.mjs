/**
 * node tests/soak/browser.mjs MINUTES Chromium|Firefox: texts of all sizes, calls given up, translators destroyed, tabs opened and
 * closed, workers killed; then what memory did, whether anything is left, and whether the translations are those of the beginning.
 * Ends with 1 if a call failed as none may, a handle is left, a translation changed, or memory grows.
 *
 * All of it is cycles of the same rounds of the same texts, a worker killed at the beginning of each, and memory is read at the end
 * of each when nothing is under way and garbage is collected: what nobody holds on to is then the same number, cycle by cycle.
 * The browser's own processes, in which no script of a page runs, are told of and do not count: of every tab that was opened the
 * first keeps 0.4 MB (Chromium) or 10 MB (Firefox), and Chromium's for the GPU 2 KB and for network and stores 50 KB, all of an
 * empty tab with an empty worker, too. So do the processes of Firefox's tabs: 10 KB of an empty tab and seven empty workers, 6 KB
 * of each report on memory. Chromium goes without what else grows beside a page of ours: machine code of JavaScript, of which more
 * functions get some for an hour, and the popup of its address bar, a page of its own with a process of its own.
 */
import assert from 'node:assert/strict';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HEADERS } from '../../scripts/site/serve.mjs';
import { launchChromium } from '../web/support/chromium.mjs';
import { launchFirefox } from '../web/support/firefox.mjs';
import { openSite } from '../web/support/site.mjs';
import { firefoxMemory } from './firefox_memory.mjs';
import { report } from './slope.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SENTENCES = (await readFile(join(root, 'scripts/benchmark/en200.txt'), 'utf8')).split('\n').slice(0, -1);
const PROBE = SENTENCES.slice(0, 40);
const ROUNDS = 20;
const ALLOCATED = "allocated in tabs' processes";
const CHROMIUM = [
  '--js-flags=--no-opt --no-maglev --no-sparkplug --no-lazy-feedback-allocation',
  '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup',
];
const OF_THE_BROWSER = ['processes: browser', 'processes: gpu-process', 'processes: utility', 'processes: tab', ALLOCATED];
const CRASH = `new BroadcastChannel('soak crash').onmessage = () => { throw new Error('killed by the soak'); };`;

/**
 * The browser's processes.
 * @returns {Promise<{pid: number, kind: string}[]>}
 */
async function processes() {
  const parents = new Map();
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    parents.set(Number(pid), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
  }
  const ours = (pid) => pid === process.pid || (pid > 1 && parents.has(pid) && ours(parents.get(pid)));
  const found = [];
  for (const pid of parents.keys()) {
    if (!ours(pid) || pid === process.pid) continue;
    const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ').trim();
    // Chromium says it by a flag, Firefox by the last argument of a process that has others' contents.
    const flag = /--type=(\S+)/.exec(command)?.[1];
    const kind = flag ?? (command.includes(' -contentproc ') ? command.slice(command.lastIndexOf(' ') + 1) : 'browser');
    // Of others, which node started, too, nothing is to be told.
    if (kind === 'browser' && !/--(profile|user-data-dir)\b/.test(command)) continue;
    found.push({ pid, kind });
  }
  return found;
}

/**
 * What each of them has written and nobody shares: bytes, by kinds of process.
 * @returns {Promise<Record<string, number>>}
 */
async function memoryOfProcesses() {
  /** @type {Record<string, number>} */
  const sums = {};
  for (const { pid, kind } of await processes()) {
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
    const name = `processes: ${kind}`;
    sums[name] = (sums[name] ?? 0) + Number(/^Private_Dirty:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) * 1024;
  }
  return sums;
}

/** Garbage collected, what the page's own objects take, JavaScript's and the browser's; of Firefox more: bytes. */
async function memoryOfPages(session) {
  if (!session) {
    const { pid } = (await processes()).find(({ kind }) => kind === 'browser');
    const { pages, workers, allocated } = await firefoxMemory(pid);
    return { 'heap of pages': pages, 'workers, wasm and all': workers, [ALLOCATED]: allocated };
  }
  // What one collection ends is garbage for the next.
  for (let i = 0; i < 3; i++) await session.send('HeapProfiler.collectGarbage');
  const { usedSize, embedderHeapUsedSize = 0 } = await session.send('Runtime.getHeapUsage');
  return { 'heap of pages': usedSize + embedderHeapUsedSize };
}

/** Whether memory grows. */
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
  const browser = await (chromium ? launchChromium(CHROMIUM) : launchFirefox());
  const context = await browser.newContext();
  const openPage = async () => {
    const page = await context.newPage();
    await page.goto(`${site.url}blank.html`);
    await page.evaluate(async () => {
      // The browser's own list of what was fetched, of 250 at most, would be all that grows for the first hour.
      performance.setResourceTimingBufferSize(0);
      window.soak = await import('/soak.js');
      await soak.open();
    });
    return page;
  };
  const page = await openPage();
  const session = chromium ? await context.newCDPSession(page) : undefined;
  const first = await page.evaluate((probe) => soak.translateAll(probe), PROBE);

  /** @type {Record<string, [number, number][]>} hours and bytes */
  const samples = {};
  const counts = { cycles: 0, translated: 0, tabs: 0, 'workers killed': 0 };
  const begun = Date.now();
  while (Date.now() < begun + minutes * 60_000) {
    await page.evaluate((sentences) => {
      soak.rewind();
      return soak.killWorkers(sentences);
    }, PROBE);
    counts['workers killed']++;
    await page.evaluate(() => soak.wasmMemory());
    for (let round = 0; round < ROUNDS; round++) {
      const outcomes = await page.evaluate((sentences) => soak.round(sentences), SENTENCES);
      for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
      if (round !== ROUNDS >> 1) continue;
      const tab = await openPage();
      await tab.evaluate((sentences) => soak.round(sentences), SENTENCES);
      await tab.close();
      counts.tabs++;
    }
    counts.cycles++;
    const hours = (Date.now() - begun) / 3_600_000;
    const wasm = await page.evaluate(() => soak.wasmMemory());
    const memory = { 'wasm memory': wasm, ...(await memoryOfPages(session)), ...(await memoryOfProcesses()) };
    for (const [name, bytes] of Object.entries(memory)) (samples[name] ??= []).push([hours, bytes]);
  }

  assert.deepEqual(await page.evaluate((probe) => soak.translateAll(probe), PROBE), first, 'the translations of the beginning');
  await page.evaluate(() => soak.close());
  let left = 1;
  for (let tries = 0; left > 0 && tries < 1800; tries++) {
    await new Promise((go) => setTimeout(go, 100));
    left = await page.evaluate(() => soak.workers());
  }
  assert.equal(left, 0, 'workers that are left');
  await browser.close();
  await site.close();

  await writeFile(join(root, `build/soak-${browserName}.json`), JSON.stringify(samples));
  console.log(`${browserName}, ${minutes} minutes: ${JSON.stringify(counts)}; no worker left, translations the same to the byte`);
  return report(samples, OF_THE_BROWSER);
}

const [minutes, browserName] = [Number(process.argv[2]), process.argv[3]];
if (!(minutes > 0 && ['Chromium', 'Firefox'].includes(browserName))) throw new Error('How many minutes, and where?');
if (await soak(browserName, minutes)) process.exitCode = 1;
