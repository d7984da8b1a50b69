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
 * Has Dragoman run on one thread in pages to come, as on a machine with one core.
 * @param {import('playwright-core').Page} page
 */
export function useOneThread(page) {
  return page.addInitScript(() => Object.defineProperty(navigator, 'hardwareConcurrency', { value: 1 }));
}

/** A text of many sentences through the API, on one thread or on all there are: its translation and the time. */
async function translateWhole(context, url, text, oneThread) {
  const page = await context.newPage();
  if (oneThread) await useOneThread(page);
  await page.goto(`${url}bench/api.html`);
  const result = await page.evaluate((text) => globalThis.whole(text), text);
  await page.close();
  return result;
}

/**
 * The public API over several visits: the first fills the caches and is not counted.
 * @param {import('playwright-core').Browser} browser
 * @param {string} url of the benchmark's site
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
      checkSame(
        'the translations through the API',
        (await stream()).map(({ text }) => text),
        expected,
      );
      const firstTextMs = median((await stream()).map((result) => result.firstTextMs));
      await page.close();
      const text = Array(10).fill(sentences.join('\n')).join('\n');
      const [one, all] = [await translateWhole(context, url, text, true), await translateWhole(context, url, text, false)];
      checkSame('the translations on several threads', all.translation.split('\n'), one.translation.split('\n'));
      if (i > 0) visits.push({ ...figures, firstTextMs, threadsSpeedup: one.ms / all.ms });
    }
  } finally {
    await context.close();
  }
  return visits;
}
