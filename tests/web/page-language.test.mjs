/** The interface in the visitor's language, and in either direction of writing. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { de } from '../../web/page/messages-de.js';
import { en } from '../../web/page/messages-en.js';
import { inChromium } from './support/browsers.mjs';
import { answers } from './support/site.mjs';

const page = await readFile(new URL('../../web/index.html', import.meta.url), 'utf8');
const places = (text) => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).sort();

test('every message has the same places for values in each language, and the page names none that there is not', () => {
  for (const [key, text] of Object.entries(en)) assert.deepEqual(places(de[key]), places(text), key);
  const named = [...page.matchAll(/data-message(?:-\w+)?="(\w+)"/g)].map(([, key]) => key);
  assert.ok(named.length > 15);
  for (const key of named) assert.ok(Object.hasOwn(en, key), key);
});

test('the English of the page is that of the messages', () => {
  for (const [, key, text] of page.matchAll(/data-message="(\w+)"[^>]*>([^<]+)</g)) {
    assert.equal(text.replace(/\s+/g, ' ').trim(), en[key], key);
  }
});

inChromium(
  (environment) => {
    test('where German is asked for, the page is German, and it works', async () => {
      const context = await environment.browser.newContext({ locale: 'de-DE' });
      const tab = await context.newPage();
      await tab.goto(environment.site.url);
      await tab.waitForFunction(() => document.documentElement.lang === 'de');
      assert.equal(await tab.getAttribute('#source', 'placeholder'), de.placeholder);
      assert.equal(await tab.getAttribute('#swap', 'aria-label'), de.swap);
      assert.equal(await tab.getAttribute('#target', 'aria-label'), de.translation);
      assert.equal(await tab.title(), de.title);
      await tab.fill('#source', 'Where is the train station? Good morning!');
      await tab.waitForFunction(() => /Token\/s$/.test(document.querySelector('#target-note').textContent));
      assert.equal(await tab.innerText('#source-note'), '41 Zeichen');
      assert.deepEqual(await tab.locator('#from option').allInnerTexts(), ['Deutsch', 'Englisch']);
      await tab.fill('#source', 'Wo ist der Bahnhof? Das Wetter ist heute schön.');
      await tab.waitForSelector('#hint:visible');
      assert.equal(await tab.innerText('#hint'), 'Deutsch als Ausgangssprache');
      await context.close();
    });

    test('a language that the page does not speak is passed over; without its messages the page is English', async () => {
      const context = await environment.browser.newContext({ locale: 'de-DE' });
      const tab = await context.newPage();
      environment.site.rules.set(await environment.site.chunk('messages-de'), answers.status(500));
      await tab.goto(environment.site.url);
      await tab.waitForFunction(() => document.querySelector('#from').options.length > 0);
      assert.equal(await tab.getAttribute('#swap', 'aria-label'), en.swap);
      await context.close();
      environment.site.rules.clear();
    });

    test('written from right to left, the page shows all and needs no scrolling sideways', async () => {
      const context = await environment.browser.newContext({ viewport: { width: 360, height: 740 } });
      const tab = await context.newPage();
      await tab.goto(environment.site.url);
      await tab.evaluate(() => (document.documentElement.dir = 'rtl'));
      await tab.fill('#source', 'Where is the train station?');
      await tab.waitForFunction(() => /\/s$/.test(document.querySelector('#target-note').textContent));
      const { scrollWidth, clientWidth, from, to } = await tab.evaluate(() => ({
        scrollWidth: document.documentElement.scrollWidth,
        clientWidth: document.documentElement.clientWidth,
        from: document.querySelector('#from').getBoundingClientRect().left,
        to: document.querySelector('#to').getBoundingClientRect().left,
      }));
      assert.equal(scrollWidth, clientWidth);
      assert.ok(from > to, 'the source stands to the right');
      await context.close();
    });
  },
  { 'intl.accept_languages': 'fr,de,en' },
);
