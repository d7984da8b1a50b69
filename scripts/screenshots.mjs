/**
 * Pictures of the page in its states, phone and desktop, light and dark, into build/screenshots/, to be looked at:
 *   node scripts/screenshots.mjs [state ...]
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchChromium } from '../tests/web/support/chromium.mjs';
import { listen, requestListener, urlOf } from './site/serve.mjs';
import { assembleSite } from './site/site.mjs';

const TEXT = 'Where is the train station? My brother bought a new bicycle yesterday.';
const SIZES = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };

/** @typedef {import('playwright-core').Page} Page */

/** @param {string} text */
const translated = (text) => async (/** @type {Page} */ page) => {
  await page.fill('#source', text);
  await page.waitForFunction(() => /\/s$/.test(document.querySelector('#target-note')?.textContent ?? ''));
  await page.waitForTimeout(150);
};

/** @param {string} panel */
const withPanel = (panel) => async (/** @type {Page} */ page) => {
  await translated(TEXT)(page);
  await page.click(`[aria-controls=${panel}]`);
  await page.waitForTimeout(2500);
};

/** @type {Record<string, (page: Page) => Promise<void>>} */
const STATES = {
  empty: async () => {},
  sentence: translated('Where is the train station?'),
  text: translated(TEXT),
  word: async (page) => {
    await translated(TEXT)(page);
    await page.focus('#target');
    for (const key of ['Home', ...Array(3).fill('ArrowRight')]) await page.keyboard.press(key);
  },
  attention: withPanel('attention'),
  how: withPanel('how'),
  history: withPanel('history'),
  rtl: async (page) => {
    await page.evaluate(() => document.documentElement.setAttribute('dir', 'rtl'));
    await withPanel('attention')(page);
  },
};

const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(STATES);
const folder = fileURLToPath(new URL('../build/screenshots/', import.meta.url));
await mkdir(folder, { recursive: true });
const site = await mkdtemp(join(tmpdir(), 'dragoman-screenshots-'));
await assembleSite(site);
const server = await listen(requestListener(site), 0);
const browser = await launchChromium();
for (const [size, viewport] of Object.entries(SIZES)) {
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    const locale = colorScheme === 'dark' && size === 'phone' ? 'de-DE' : 'en-GB';
    const context = await browser.newContext({ viewport, colorScheme, locale });
    for (const state of wanted) {
      const page = await context.newPage();
      await page.goto(urlOf(server));
      await page.waitForSelector('#offline:visible');
      await STATES[state](page);
      await page.screenshot({ path: join(folder, `${state}-${size}-${colorScheme}.png`), fullPage: true });
      await page.close();
    }
    await context.close();
  }
}
await browser.close();
server.closeAllConnections();
server.close();
await rm(site, { recursive: true });
console.log(folder);
