/** Lighthouse, a tool for Chromium alone, on the page with a warm cache. (Version 12: the next one wants Node 22.) */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import lighthouse, { desktopConfig } from 'lighthouse';
import { launchProfile } from './support/chromium.mjs';
import { until } from './support/patience.mjs';
import { openSite } from './support/site.mjs';

let site, folder, profile, port;
/** Before and after each audit. @type {number[]} */
const shares = [];

before(async () => {
  [site, folder] = await Promise.all([openSite(), mkdtemp(join(tmpdir(), 'dragoman-profile-'))]);
  profile = await launchProfile(folder, ['--remote-debugging-port=0']);
  // Two lines, which the browser may write when it is in use already.
  const written = () => readFile(join(folder, 'DevToolsActivePort'), 'utf8').catch(() => '');
  port = Number.parseInt(await until(async () => /^\d+\n\//.exec(await written())?.[0]), 10);
  const visit = await profile.newPage();
  await visit.goto(site.url);
  await visit.waitForSelector('#offline:visible');
  await visit.close();
});

after(async () => {
  await profile?.close();
  await site?.close();
  if (folder) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** What a thread of ours gets of a processor, 0 to 1, while it asks for all of it. */
function shareOfProcessor() {
  const [begun, used] = [process.hrtime.bigint(), process.cpuUsage()];
  while (process.hrtime.bigint() - begun < 300_000_000n);
  const { user, system } = process.cpuUsage(used);
  return ((user + system) * 1000) / Number(process.hrtime.bigint() - begun);
}

async function audit(categories) {
  shares.push(shareOfProcessor());
  const flags = { port, logLevel: 'error', disableStorageReset: true, onlyCategories: categories };
  const { lhr } = await lighthouse(site.url, flags, desktopConfig);
  shares.push(shareOfProcessor());
  assert.equal(lhr.runtimeError, undefined);
  const failed = Object.values(lhr.audits)
    .filter(({ score }) => score !== null && score < 0.9)
    .map(({ id }) => id);
  return { scores: categories.map((category) => lhr.categories[category].score * 100), failed: failed.join(', ') };
}

test('Lighthouse: accessibility and best practices 100, performance at least 95', { timeout: 600_000 }, async (t) => {
  const {
    scores: [accessibility, practices, first],
    failed,
  } = await audit(['accessibility', 'best-practices', 'performance']);
  assert.deepEqual([accessibility, practices], [100, 100], failed);
  let performance = first;
  for (let tries = 1; performance < 95 && tries < 3; tries++)
    ({
      scores: [performance],
    } = await audit(['performance']));
  t.diagnostic(`performance ${performance}`);
  if (performance >= 95) return;
  // Times say nothing about the page while others use the processors; on a machine of our own they do.
  const share = Math.min(...shares);
  if (share < 0.9) t.diagnostic(`not judged: a thread gets ${Math.round(share * 100)} % of a processor here`);
  else assert.fail(`performance ${performance}: ${failed}`);
});
