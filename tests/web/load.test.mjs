/**
 * Far more than anyone asks for: 500 calls at once, megabytes pasted into the page.
 *   DRAGOMAN_PASTE=10000000 node --test tests/web/load.test.mjs    pastes so many
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { directionOf } from '../../web/page/direction.js';
import { inEachBrowser } from './support/browsers.mjs';
import { expected } from './support/expected.mjs';
import { pageTests } from './support/page-tests.mjs';

const SENTENCES = (await readFile(new URL('../../scripts/benchmark/en200.txt', import.meta.url), 'utf8')).split('\n');
const SMALL = 'Where is the station?';
const [SMALL_TRANSLATION, FIRST_TRANSLATION] = await expected([SMALL, SENTENCES[0]]);
const LARGE = Number(process.env.DRAGOMAN_PASTE ?? 2e6);
// A half in lines, a half in one: what browsers find hard is not the same.
const TEXT = ['\n', ' '].map((between) => `${SENTENCES.join(between)}${between}`.repeat(LARGE / 2 / 26_000)).join('');

test('a text begins where its first letter does', () => {
  const cases = { '': '', Haus: 'ltr', '12, שלום': 'rtl', 'مرحبا house': 'rtl', '12 & 3': 'ltr', 'дом שלום': 'ltr' };
  for (const [text, dir] of Object.entries(cases)) assert.equal(directionOf(text), dir, text);
});

inEachBrowser((environment) => {
  const { pageTest } = pageTests(environment);

  pageTest(
    '500 calls at once, some of them given up: each has its own translation, and the next one, too',
    async () => {
      const translator = await create();
      const texts = Array.from({ length: 20 }, (_, i) => `I have ${i + 2} cats.`);
      const alone = [];
      for (const text of texts) alone.push(await translator.translate(text, { beam: 1 }));
      const controller = new AbortController();
      const calls = Array.from({ length: 500 }, (_, i) =>
        outcome(translator.translate(texts[i % 20], { beam: 1, signal: i % 7 === 3 ? controller.signal : undefined })),
      );
      controller.abort();
      const outcomes = await Promise.all(calls);
      const wrong = outcomes.filter(({ value, error }, i) => (i % 7 === 3 ? error !== 'AbortError' : value !== alone[i % 20]));
      return { different: new Set(alone).size, wrong, next: await translator.translate(texts[0], { beam: 1 }), first: alone[0] };
    },
    ({ different, wrong, next, first }) => {
      assert.ok(different > 15, `${different} different translations`);
      assert.deepEqual(wrong, []);
      assert.equal(next, first);
    },
  );

  test('a library pasted into the page: it begins to translate, loses nothing, and can be stopped', async (t) => {
    const page = await (await environment.browser.newContext()).newPage();
    const errors = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(environment.site.url);
    const translated = (text) => page.waitForFunction((wanted) => document.querySelector('#target').innerText === wanted, text);
    await page.fill('#source', SMALL);
    await translated(SMALL_TRANSLATION);
    await page.evaluate((text) => {
      window.longest = 0;
      let before = performance.now();
      setInterval(() => {
        window.longest = Math.max(window.longest, performance.now() - before);
        before = performance.now();
      }, 20);
      const source = document.querySelector('#source');
      source.value = text;
      source.dispatchEvent(new InputEvent('input', { inputType: 'insertFromPaste' }));
    }, TEXT);
    /** How long it was busy at a stretch until the translation has grown. */
    const busyUntil = async (characters) => {
      await page.waitForFunction((wanted) => document.querySelector('#target').innerText.length > wanted, characters);
      return page.evaluate(() => {
        const { longest } = window;
        window.longest = 0;
        return Math.round(longest);
      });
    };
    const [first, then] = [await busyUntil(SMALL_TRANSLATION.length), await busyUntil(2000)];
    t.diagnostic(`${environment.browserName}: busy for ${first} ms with ${TEXT.length} characters, then for ${then} ms at most`);
    assert.ok(await page.evaluate((text) => document.querySelector('#source').value === text, TEXT));
    assert.ok((await page.innerText('#target')).startsWith(FIRST_TRANSLATION));
    await page.click('#stop');
    await page.fill('#source', SMALL);
    await translated(SMALL_TRANSLATION);
    assert.deepEqual(errors, []);
    await page.context().close();
  });
});
