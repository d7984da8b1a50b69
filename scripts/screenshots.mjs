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

/** @param {string} content */
const file = (content) => ({ name: 'letter.txt', mimeType: 'text/plain', buffer: Buffer.from(content) });

/** What the server does with the model in place of sending it. @type {((response: import('node:http').ServerResponse) => void) | undefined} */
let instead;

/**
 * A visit in which the model is not there yet.
 * @param {NonNullable<typeof instead>} answer
 */
const withoutModel = (answer) => async (/** @type {Page} */ page) => {
  await page.evaluate(() => caches.delete('dragoman-models-1'));
  instead = answer;
  await page.reload();
  await page.fill('#source', TEXT);
  await page.waitForSelector('#failure:visible, #download:visible');
  await page.waitForTimeout(500);
  instead = undefined;
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
  doubts: async (page) => {
    await translated('The parson in the hamlet muttered of turpitude and gathered his flock.')(page);
    await page.click('#confidence');
    await page.waitForSelector('#doubts:visible');
    await page.waitForTimeout(500);
    await page.evaluate(() => sessionStorage.clear());
  },
  choice: async (page) => {
    await STATES.word(page);
    await page.keyboard.press('Enter');
    await page.waitForSelector('#next-words li');
  },
  hint: async (page) => {
    await page.fill('#source', 'Guten Morgen! Wie geht es dir heute, mein Freund?');
    await page.waitForSelector('#hint:visible');
  },
  attention: withPanel('attention'),
  table: async (page) => {
    await withPanel('attention')(page);
    await page.click('.as-table summary');
  },
  how: withPanel('how'),
  history: withPanel('history'),
  file: async (page) => {
    await page.setInputFiles('#file-input', file(Array.from({ length: 400 }, (_, i) => `${i}. ${TEXT}`).join('\n\n')));
    await page.waitForFunction(() => Number.parseInt(document.querySelector('#file .note')?.textContent ?? '', 10) > 1);
    await page.click('#file >> text=/^(Pause|Anhalten)$/');
  },
  'file-done': async (page) => {
    await page.setInputFiles('#file-input', file(TEXT));
    await page.waitForSelector('#file a:visible');
  },
  'file-failed': async (page) => {
    await page.setInputFiles('#file-input', { ...file(TEXT), name: 'letter.docx' });
    await page.waitForSelector('.file-failed');
  },
  download: withoutModel((response) => response.write(Buffer.alloc(3e6))),
  failure: withoutModel((response) => response.writeHead(404).end()),
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
const files = requestListener(site);
const server = await listen(
  (request, response) =>
    instead && /model\.safetensors$/.test(String(request.url)) ? instead(response) : files(request, response),
  0,
);
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
