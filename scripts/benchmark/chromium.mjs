import { checkSame } from './core_run.mjs';
import { median } from './statistics.mjs';

/**
 * One repetition of the core in a page of its own.
 * @param {import('playwright-core').Browser} browser
 * @param {string} url of the benchmark's site
 * @param {{sentences: string[], expected: string[]}} task
 */
export async function runCoreInChromium(browser, url, task) {
  const page = await browser.newPage();
  try {
    await page.goto(`${url}bench/core.html`);
    return await page.evaluate((task) => globalThis.measure(task), { model: '../weights/en-de', ...task });
  } finally {
    await page.close();
  }
}

/**
 * The public API over several visits: the first fills the caches and is not counted.
 * @param {{sentences: string[], expected: string[]}} task
 * @param {number} repeat
 * @returns {Promise<Record<string, number>[]>} the figures of each visit
 */
export async function visit(browser, url, { sentences, expected }, repeat) {
  const context = await browser.newContext();
  const visits = [];
  try {
    for (let i = 0; i <= repeat; i++) {
      const page = await context.newPage();
      await page.goto(`${url}bench/api.html`);
      const figures = await page.evaluate(async () => (await globalThis.opened).figures);
      const stream = () => page.evaluate((sentences) => globalThis.stream(sentences), sentences);
      checkSame('the translations through the API', (await stream()).map(({ text }) => text), expected);
      const firstTextMs = median((await stream()).map((result) => result.firstTextMs));
      if (i > 0) visits.push({ ...figures, firstTextMs });
      await page.close();
    }
  } finally {
    await context.close();
  }
  return visits;
}
