/** After one visit everything works with the server gone, in Chromium and in Firefox. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { inEachBrowser } from './support/browsers.mjs';
import { expected } from './support/expected.mjs';

const SENTENCE = 'I like to read books in the evening.';
const [TRANSLATION] = await expected([SENTENCE]);

inEachBrowser((environment) => {
  test('the manifest makes the page installable', async () => {
    const manifest = JSON.parse(await readFile(`${environment.site.folder}/dragoman.webmanifest`, 'utf8'));
    assert.ok(manifest.name && manifest.start_url && manifest.display === 'standalone');
    for (const { src } of manifest.icons) await readFile(`${environment.site.folder}/${src}`);
    assert.ok(
      manifest.icons.some(({ sizes }) => sizes === '512x512') && manifest.icons.some(({ purpose }) => purpose === 'maskable'),
    );
  });

  test('with the server stopped the page opens, and translates both directions it has seen', async () => {
    const { site, browser } = environment;
    const page = await browser.newPage();
    /** Types a text and waits for a translation that has these words in it. */
    const translate = async (text, words) => {
      await page.evaluate((text) => {
        const source = document.querySelector('#source');
        source.value = text;
        source.dispatchEvent(new Event('input'));
      }, text);
      await page.waitForFunction((words) => document.querySelector('#target').innerText.includes(words), words);
      return page.innerText('#target');
    };
    const choose = (language) =>
      page.evaluate((language) => {
        const menu = document.querySelector('#from');
        menu.value = language;
        menu.dispatchEvent(new Event('change'));
      }, language);

    await page.goto(site.url);
    assert.equal(await translate('Where is the train station?', 'Bahnhof?'), 'Wo ist der Bahnhof?');
    await choose('de');
    assert.match(await translate('Guten Morgen!', 'orning'), /Good morning/);
    await choose('en');
    await page.evaluate(async () => {
      await navigator.serviceWorker.ready;
      while (!navigator.serviceWorker.controller) await new Promise((go) => setTimeout(go, 50));
    });

    site.stop();
    await page.goto(site.url);
    assert.equal(await translate(SENTENCE, TRANSLATION), TRANSLATION);
    await choose('de');
    assert.match(await translate('Guten Morgen!', 'orning'), /Good morning/);
  });
});
