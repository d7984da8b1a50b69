/**
 * A book of 300 pages on the page: how long it takes to open it and to write it back, and what memory does while it is translated, with
 * a pause and a reload in the middle, in some minutes:
 *   node scripts/benchmark/book.mjs
 * Ends with 1 if anything of it is lost.
 */
import assert from 'node:assert/strict';
import { strToU8 } from 'fflate';
import { launchChromium } from '../../tests/web/support/chromium.mjs';
import { openSite } from '../../tests/web/support/site.mjs';
import { CHAPTERS, epub, PAGES, prose } from './book_made.mjs';
import { line } from './statistics.mjs';

/** @typedef {import('playwright-core').Page} Page */

const SAMPLE_MS = 5000;
// What the first paragraphs need of memory is no growth.
const WARM_PERCENT = 5;

const MB = (/** @type {number} */ bytes) => (bytes / 1e6).toFixed(2);
const percentOf = async (/** @type {Page} */ page) => Number.parseInt((await page.textContent('#file .note')) ?? '', 10) || 0;
const DONE = /is translated$/;
const isDone = (/** @type {string | null} */ title) => DONE.test(title ?? '');
const titleOf = (/** @type {Page} */ page) => page.textContent('.file-title');

/**
 * @param {Page} page
 * @param {RegExp} wanted
 */
async function untilTitle(page, wanted) {
  while (!wanted.test((await titleOf(page)) ?? '')) await page.waitForTimeout(100);
}

/** @param {Page} page */
async function meter(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  return async () => {
    await session.send('HeapProfiler.collectGarbage');
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0;
  };
}

/**
 * Of the engine that works on the file, as told by a translation of its own.
 * @param {Page} page
 */
function wasmMemory(page) {
  return page.evaluate(async () => {
    const { Translator } = await import(/** @type {any} */ ('/dragoman.js'));
    const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de' });
    let memory = 0;
    await translator.translate('No.', { onStatistics: (/** @type {any} */ statistics) => (memory = statistics.memory) });
    translator.destroy();
    return memory;
  });
}

/**
 * Opens a book and writes it with its own text in the place of the translation.
 * @param {Page} page
 * @param {{name: string, bytes: Uint8Array}} book
 */
async function openAndWrite(page, { name, bytes }) {
  const heap = await meter(page);
  const before = await heap();
  const times = await page.evaluate(
    async ([name, base64]) => {
      const { openDocument } = await import(/** @type {any} */ ('/files.js'));
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      const begun = performance.now();
      const opened = await openDocument(name, bytes);
      const middle = performance.now();
      const written = opened.write(opened.segments, 'de');
      const kept = /** @type {any} */ (globalThis);
      kept.book = [opened, written];
      const [open, write] = [middle - begun, performance.now() - middle];
      return { open, write, bytes: written.length, segments: opened.segments.length };
    },
    [name, Buffer.from(bytes).toString('base64')],
  );
  const held = (await heap()) - before;
  await page.evaluate(() => delete (/** @type {any} */ (globalThis).book));
  console.log(
    `${name}: ${bytes.length} bytes, ${times.segments} segments; opened in ${times.open.toFixed(0)} ms, written (${times.bytes} bytes) ` +
      `in ${times.write.toFixed(0)} ms; both hold ${MB(held)} MB`,
  );
}

/**
 * Until so much of it is done; then how memory has grown.
 * @param {Page} page
 * @param {number} end percent
 */
async function watch(page, end) {
  const heap = await meter(page);
  const samples = [];
  const begun = performance.now();
  const start = await percentOf(page);
  for (let percent = start; percent < end && !isDone(await titleOf(page)); percent = await percentOf(page)) {
    const sample = { percent, heap: await heap(), wasm: await wasmMemory(page) };
    console.log(`${percent} %: JavaScript heap ${MB(sample.heap)} MB, wasm ${MB(sample.wasm)} MB`);
    if (percent >= start + WARM_PERCENT) samples.push(sample);
    await page.waitForTimeout(SAMPLE_MS);
  }
  const growth = (/** @type {'heap' | 'wasm'} */ what) => {
    const values = samples.map((sample) => sample[what]);
    const pages = samples.map(({ percent }) => (percent / 100) * PAGES);
    return `${MB(Math.min(...values))} to ${MB(Math.max(...values))} MB, ${(line(pages, values).slope / 1000).toFixed(2)} KB more a page`;
  };
  const seconds = ((performance.now() - begun) / 1000).toFixed(0);
  console.log(`${start} to ${end} % in ${seconds} s: JavaScript heap ${growth('heap')}; wasm ${growth('wasm')}`);
}

/** What the page offers for download is kept: its policy lets no script fetch a Blob's address. */
function keepOffered() {
  const create = URL.createObjectURL;
  URL.createObjectURL = (blob) => {
    Object.assign(globalThis, { offered: blob });
    return create.call(URL, blob);
  };
}

/**
 * The segments of the book that the page offers.
 * @param {Page} page
 * @returns {Promise<string[]>}
 */
function segmentsOffered(page) {
  return page.evaluate(async () => {
    const { openDocument } = await import(/** @type {any} */ ('/files.js'));
    const { offered } = /** @type {{offered: Blob}} */ (/** @type {any} */ (globalThis));
    return (await openDocument('book.epub', new Uint8Array(await offered.arrayBuffer()))).segments;
  });
}

const paragraphs = prose();
const book = { name: 'book.epub', bytes: epub(paragraphs) };
const plain = { name: 'book.txt', bytes: strToU8(paragraphs.join('\n\n')) };
const site = await openSite();
const browser = await launchChromium();
try {
  const page = await (await browser.newContext()).newPage();
  await page.addInitScript(keepOffered);
  await page.goto(site.url);
  await page.waitForSelector('#offline:visible');
  console.log(`${PAGES} pages, ${paragraphs.join('').length} characters`);
  await openAndWrite(page, plain);
  await openAndWrite(page, book);

  await page.setInputFiles('#file-input', { name: book.name, mimeType: 'application/epub+zip', buffer: Buffer.from(book.bytes) });
  await watch(page, 50);
  await page.click('#file >> text=Pause');
  await untilTitle(page, /^Paused/);
  const paused = await percentOf(page);
  const reloading = performance.now();
  await page.reload();
  await untilTitle(page, /^Paused/);
  console.log(`paused at ${paused} %; after a reload there again in ${(performance.now() - reloading).toFixed(0)} ms`);
  assert.equal(await percentOf(page), paused);
  await page.click('#file >> text=Continue');
  await watch(page, 100);
  await untilTitle(page, DONE);
  const segments = await segmentsOffered(page);
  assert.equal(segments.length, paragraphs.length + CHAPTERS, 'as many as before');
  assert.ok(!segments.some((segment) => paragraphs.includes(segment)), 'all translated');
  console.log('the book is translated, no paragraph is missing');
} finally {
  await browser.close();
  await site.close();
}
