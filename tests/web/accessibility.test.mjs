/** axe-core on the page in its states, in light and dark, wide and narrow. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { inChromium } from './support/browsers.mjs';
import { answers } from './support/site.mjs';
import { openTyping } from './support/typing.mjs';

const axeSource = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

async function violations(page) {
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
}

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 360, height: 740 };

inChromium((environment) => {
  const looks = [
    ['light, desktop', 'light', DESKTOP],
    ['light, phone', 'light', PHONE],
    ['dark, desktop', 'dark', DESKTOP],
    ['dark, phone', 'dark', PHONE],
  ].slice(0, environment.browserName === 'Firefox' ? 2 : 4); // Firefox is not asked for its colours
  for (const [name, colorScheme, viewport] of looks) {
    test(`axe finds nothing: ${name}`, async () => {
      const { site, browser } = environment;
      const context = await browser.newContext({ colorScheme, viewport });
      const page = await context.newPage();
      site.rules.set('/weights/en-de/vocab.spm', answers.status(404));
      await openTyping(page, site, 'Where is the train station?');
      assert.ok(await page.evaluate((scheme) => matchMedia(`(prefers-color-scheme: ${scheme})`).matches, colorScheme));
      await page.waitForSelector('#failure:visible');
      assert.deepEqual(await violations(page), [], 'with an error shown');
      site.rules.clear();
      await page.click('#retry');
      await page.waitForFunction(() => /tokens\/s$/.test(document.querySelector('#target-note').textContent));
      assert.deepEqual(await violations(page), [], 'with a translation');
      await page.click('#confidence');
      await page.waitForSelector('#doubts:visible');
      await page.focus('#target');
      for (const key of ['Home', 'Enter']) await page.keyboard.press(key);
      await page.waitForSelector('#next-words li');
      assert.deepEqual(await violations(page), [], 'with doubts, and what else fits in the place of a word');
      await page.keyboard.press('Escape');
      for (const panel of ['attention', 'how', 'history']) await page.click(`[aria-controls=${panel}]`);
      await page.waitForSelector('.heat-map svg');
      await page.waitForSelector('.masks figure');
      await page.waitForSelector('.stages li');
      await page.waitForSelector('.history li');
      await page.click('.as-table summary');
      await page.waitForSelector('.as-table tbody td');
      assert.deepEqual(await violations(page), [], 'with every panel open');
      await page.click('#clear');
      await page.waitForSelector('.heat-map', { state: 'hidden' });
      assert.deepEqual(await violations(page), [], 'empty, with undo');
      const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement);
      assert.equal(scrollWidth, clientWidth, 'nothing to scroll sideways');
      await context.close();
    });
  }
});
