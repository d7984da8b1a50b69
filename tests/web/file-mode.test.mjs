/** The page's document mode: files chosen and dropped, progress, pause, reload, download; keyboard and accessibility. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { inChromium } from './support/browsers.mjs';
import { expected } from './support/expected.mjs';

const axeSource = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SENTENCES = ['Good morning!', 'Where is the station?'];
const translations = await expected(SENTENCES);
const text = (name, content) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });
const LONG = Array.from(
  { length: 4000 },
  (_, i) => `On day ${i} we walked along the river, and in the evening we read a book.`,
).join('\n');

const title = (page, wanted) =>
  page.waitForFunction((wanted) => document.querySelector('.file-title')?.textContent === wanted, wanted);
const button = (page, name) => page.locator('#file').getByText(name, { exact: true });
const percent = async (page) => Number.parseInt(await page.textContent('#file .note'), 10);
const progressBeyond = (page, least) =>
  page.waitForFunction((least) => Number.parseInt(document.querySelector('#file .note').textContent, 10) > least, least);

async function axe(page, state) {
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  assert.deepEqual(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`),
    [],
    state,
  );
}

/** What the page offers for download, and its name. Its policy lets no script fetch a Blob's address, so the Blob itself is kept. */
function download(page) {
  return page.evaluate(async () => [document.querySelector('#file a').download, await window.offered.text()]);
}

function keepOffered() {
  const create = URL.createObjectURL;
  URL.createObjectURL = (blob) => {
    window.offered = blob;
    return create.call(URL, blob);
  };
}

inChromium((environment) => {
  async function open(options) {
    const context = await environment.browser.newContext(options);
    const page = await context.newPage();
    await page.addInitScript(keepOffered);
    await page.goto(environment.site.url);
    await page.waitForFunction(() => document.querySelector('#from').value === 'en');
    return { page, close: () => context.close() };
  }

  test('a file is chosen, translated and downloaded; its kind is fetched only then', async () => {
    const { page, close } = await open();
    const kind = await environment.site.chunk('md');
    // What the page itself asks for: its service worker fetches everything, when it likes.
    const fetched = () =>
      page.evaluate((kind) => performance.getEntriesByType('resource').some(({ name }) => new URL(name).pathname === kind), kind);
    assert.equal(await fetched(), false);
    await axe(page, 'before');
    await page.setInputFiles('#file-input', text('notes.md', `# ${SENTENCES[0]}\n\n* ${SENTENCES[1]}\n`));
    await title(page, 'notes.md is translated');
    assert.equal(await fetched(), true);
    assert.deepEqual(await download(page), ['notes.de.md', `# ${translations[0]}\n\n* ${translations[1]}\n`]);
    await axe(page, 'done');
    // playwright is not told of downloads by Firefox.
    if (environment.browserName === 'Chromium') {
      const [saved] = await Promise.all([page.waitForEvent('download'), button(page, 'Download').click()]);
      assert.equal(saved.suggestedFilename(), 'notes.de.md');
    }
    await button(page, 'Close').press('Enter'); // no pointer: what else still loads may move the button under it
    await page.waitForSelector('#file', { state: 'hidden' });
    assert.equal(await page.evaluate(() => document.activeElement.id), 'choose-file');
    await close();
  });

  test('a file is dropped', async () => {
    const { page, close } = await open();
    await page.evaluate((content) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([content], 'a.txt'));
      dispatchEvent(new DragEvent('dragover', { dataTransfer, cancelable: true }));
      if (!document.documentElement.dataset.drop) throw new Error('not told that it can be dropped');
      dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }));
    }, SENTENCES.join('\n'));
    await title(page, 'a.txt is translated');
    assert.deepEqual(await download(page), ['a.de.txt', translations.join('\n')]);
    assert.equal(await page.getAttribute('html', 'data-drop'), null);
    await close();
  });

  test('pause, reload, go on: nothing is lost; by keyboard', async () => {
    const { page, close } = await open();
    await page.setInputFiles('#file-input', text('long.txt', LONG));
    await progressBeyond(page, 2);
    await axe(page, 'working');
    await button(page, 'Pause').focus();
    await page.keyboard.press('Enter');
    await title(page, 'Paused: long.txt');
    await axe(page, 'paused');
    const before = await percent(page);
    assert.ok(before >= 3 && before < 100);
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Continue');
    await page.reload();
    await title(page, 'Paused: long.txt');
    assert.equal(await percent(page), before);
    await button(page, 'Continue').focus();
    await page.keyboard.press('Enter');
    await progressBeyond(page, before);
    // What works goes on by itself after a reload.
    await page.reload();
    await title(page, 'Translating long.txt');
    await progressBeyond(page, before);
    await button(page, 'Cancel').click();
    await page.waitForSelector('#file', { state: 'hidden' });
    await page.reload();
    await page.waitForFunction(() => document.querySelector('#from').value === 'en');
    await page.waitForSelector('#file', { state: 'hidden' });
    await close();
  });

  test('what was finished before a reload is not translated again', async () => {
    const { page, close } = await open();
    await page.setInputFiles('#file-input', text('two.txt', SENTENCES.join('\n')));
    await title(page, 'two.txt is translated');
    await page.reload();
    await title(page, 'two.txt is translated');
    assert.deepEqual(await download(page), ['two.de.txt', translations.join('\n')]);
    // Another file takes its place.
    await page.setInputFiles('#file-input', text('one.txt', SENTENCES[0]));
    await title(page, 'one.txt is translated');
    assert.deepEqual(await download(page), ['one.de.txt', translations[0]]);
    await close();
  });

  for (const colorScheme of ['light', 'dark']) {
    test(`a file that is not what its name says: ${colorScheme}, narrow`, async () => {
      const { page, close } = await open({ colorScheme, viewport: { width: 360, height: 740 } });
      await page.setInputFiles('#file-input', text('a-rather-long-name-for-a-document-of-no-kind.docx', 'Good morning!'));
      await page.waitForSelector('.file-failed');
      assert.match(await page.textContent('.file-title'), /cannot be translated\. .*no ZIP archive/);
      await axe(page, 'failed');
      const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement);
      assert.equal(scrollWidth, clientWidth, 'nothing to scroll sideways');
      await button(page, 'Close').press('Enter'); // no pointer: what else still loads may move the button under it
      await page.waitForSelector('#file', { state: 'hidden' });
      await close();
    });
  }
});
