/** The page as a visitor meets it: real server, real wasm, real weights, real browsers. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { afterEach, before, beforeEach, test } from 'node:test';
import { inEachBrowser } from './support/browsers.mjs';
import { expected } from './support/expected.mjs';
import { answers } from './support/site.mjs';
import { told } from './support/told.mjs';
import { openTyping } from './support/typing.mjs';

const SENTENCES = ['I like to read books in the evening.', 'My brother bought a new bicycle yesterday.'];
const TRANSLATIONS = await expected(SENTENCES);
const PARAGRAPH =
  'The museum, which was built in 1889, is closed on Mondays. My brother bought a new bicycle yesterday. ' +
  'If you have a question, please ask one of our friendly guides. We are going to the cinema tonight. ' +
  'The weather is nice today, so we will have lunch in the garden. Visit our website for more information.';
const MODEL = '/weights/en-de/model.safetensors';

inEachBrowser((environment) => {
  let site, browser, visited, page, errors, hosts;

  before(async () => {
    ({ site, browser } = environment);
    visited = await newProfile();
  });

  beforeEach(async () => {
    site.rules.clear();
    errors = [];
    hosts = new Set();
    page = await openTab(visited);
  });

  afterEach(async () => {
    await page.close();
    assert.deepEqual(errors, [], 'no uncaught error on the page');
    assert.ok(
      [...hosts].every((host) => host === new URL(site.url).host),
      `no request to another host: ${[...hosts]}`,
    );
  });

  /** A browser that was never here: nothing stored. The tests share one that was, where that makes no difference. */
  async function newProfile() {
    const profile = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    profile.on('request', (request) => hosts.add(new URL(request.url()).host));
    return profile;
  }

  async function openTab(profile) {
    const tab = await profile.newPage();
    // Firefox counts as an error of the page what it was still fetching when it was left.
    tab.on('pageerror', (error) => /^Failed to load .* ServiceWorker intercepted/.test(error.message) || errors.push(error));
    return tab;
  }

  /** For what only a first visit shows. */
  async function firstVisit() {
    await page.close();
    page = await openTab(await newProfile());
  }

  const target = () => page.innerText('#target');
  const finished = () => page.waitForFunction(() => /tokens\/s$/.test(document.querySelector('#target-note').textContent));
  const translated = (text) => page.waitForFunction((wanted) => document.querySelector('#target').innerText === wanted, text);

  /** Records every state the translation passes through. */
  const record = () =>
    page.evaluate(() => {
      window.states = [];
      const box = document.querySelector('#target');
      new MutationObserver(() => window.states.push(box.innerText)).observe(box, {
        subtree: true,
        childList: true,
        characterData: true,
      });
    });

  test('typing English brings German, a golden sentence word for word', async () => {
    await firstVisit();
    await page.goto(site.url);
    await page.locator('#source').pressSequentially(SENTENCES[0]);
    await translated(TRANSLATIONS[0]);
    await finished();
    assert.match(await page.innerText('#target-note'), /^\d+ tokens · [\d,]+ tokens\/s$/);
    assert.equal(await page.getAttribute('#target', 'lang'), 'de');
    assert.equal(await page.getAttribute('#source', 'lang'), 'en');
  });

  test('a paragraph arrives in pieces, each the beginning of the next', async () => {
    await page.goto(site.url);
    await page.waitForSelector('#offline:visible');
    await record();
    await page.fill('#source', PARAGRAPH);
    await finished();
    const final = await target();
    const partial = (await page.evaluate(() => window.states)).filter((state) => state && state !== final);
    assert.ok(partial.length >= 3, `${partial.length} partial updates`);
    for (const state of partial) assert.ok(final.startsWith(state), `"${state}" begins the translation`);
  });

  test('a sentence has other translations, and a choice changes places with what is shown', async () => {
    await page.goto(site.url);
    await page.fill('#source', SENTENCES[0]);
    await translated(TRANSLATIONS[0]);
    const others = () => page.locator('#others button').allInnerTexts();
    await page.waitForSelector('#others:visible:not([inert])');
    const before = await others();
    assert.ok(before.length >= 1 && before.length <= 3);
    assert.equal(new Set([...before, TRANSLATIONS[0]]).size, before.length + 1);
    await page.locator('#others button').first().click();
    assert.equal(await target(), before[0]);
    assert.deepEqual(await others(), [TRANSLATIONS[0], ...before.slice(1)]);
    await page.fill('#source', PARAGRAPH);
    await page.waitForSelector('#others', { state: 'hidden' });
    await page.fill('#source', SENTENCES[1]);
    await page.waitForSelector('#others:visible:not([inert])');
    await page.fill('#source', '');
    await page.waitForSelector('#others', { state: 'hidden' });
  });

  test('swapping carries the translation over and translates back; undo brings the original again', async () => {
    await page.goto(site.url);
    await page.fill('#source', SENTENCES[0]);
    await translated(TRANSLATIONS[0]);
    await finished();
    await page.click('#swap');
    assert.equal(await page.inputValue('#source'), TRANSLATIONS[0]);
    assert.deepEqual([await page.inputValue('#from'), await page.inputValue('#to')], ['de', 'en']);
    await page.waitForFunction(() => /books/.test(document.querySelector('#target').innerText));
    assert.equal(await page.getAttribute('#target', 'lang'), 'en');
    await page.click('#undo');
    assert.equal(await page.inputValue('#source'), SENTENCES[0]);
    await translated(TRANSLATIONS[0]);
  });

  test('choosing another source language turns the direction round', async () => {
    await page.goto(site.url);
    await page.waitForSelector('#offline:visible');
    await page.selectOption('#from', 'de');
    assert.equal(await page.inputValue('#to'), 'en');
    await page.fill('#source', 'Wo ist der Bahnhof?');
    await page.waitForFunction(() => /station/.test(document.querySelector('#target').innerText));
  });

  test('a text in another language than the chosen one: the page offers that language, and undo takes it back', async () => {
    await page.goto(site.url);
    await page.fill('#source', 'Wo ist der Bahnhof? Das Wetter ist heute schön.');
    await page.waitForSelector('#hint:visible');
    assert.equal(await page.innerText('#hint'), 'Translate from German');
    await page.click('#hint');
    assert.deepEqual([await page.inputValue('#from'), await page.inputValue('#to')], ['de', 'en']);
    await page.waitForFunction(() => /weather/.test(document.querySelector('#target').innerText));
    assert.ok(await page.isHidden('#hint'));
    await page.click('#undo');
    assert.deepEqual([await page.inputValue('#from'), await page.inputValue('#to')], ['en', 'de']);
    await page.fill('#source', SENTENCES[0]);
    await translated(TRANSLATIONS[0]);
    await page.waitForTimeout(300);
    assert.ok(await page.isHidden('#hint'), 'no offer for the chosen language');
  });

  test('typing on cancels the translation under way and starts anew', async () => {
    await page.goto(site.url);
    await page.waitForSelector('#offline:visible');
    await page.fill('#source', `${PARAGRAPH} `.repeat(40));
    await page.waitForFunction(() => document.querySelector('#target').innerText.length > 100);
    await page.fill('#source', SENTENCES[0]);
    await translated(TRANSLATIONS[0]);
  });

  test('a text of 200 KB starts at once and can be stopped', async () => {
    await page.goto(site.url);
    await page.waitForSelector('#offline:visible');
    const text = `${PARAGRAPH}\n`.repeat(Math.ceil(200_000 / PARAGRAPH.length));
    // In the page, which a fast engine would else be through with before a busy machine came to click.
    await page.evaluate(() => {
      const box = document.querySelector('#target');
      new MutationObserver((_, observer) => {
        if (box.textContent.length <= 100) return;
        observer.disconnect();
        document.querySelector('#stop').click();
      }).observe(box, { subtree: true, childList: true, characterData: true });
    });
    await page.fill('#source', text);
    await page.waitForFunction(() => document.querySelector('#target-note').textContent === 'Stopped');
    const [worker] = page.workers();
    assert.ok(worker, 'the worker lives on');
    await page.waitForTimeout(100);
    const after = await target();
    await page.waitForTimeout(300);
    assert.equal(await target(), after, 'nothing arrives after Stop');
    assert.equal(await page.innerText('#target-note'), 'Stopped');
    await page.fill('#source', SENTENCES[1]);
    await translated(TRANSLATIONS[1]);
  });

  test('odd texts: empty, blank, NUL, lone surrogates, emoji', async () => {
    await page.goto(site.url);
    await page.waitForSelector('#offline:visible');
    for (const text of ['', '   \n ']) {
      await page.fill('#source', text);
      await page.waitForTimeout(200);
      assert.equal(await target(), '');
    }
    /** Built in the page: the protocol that drives the browser cannot carry a lone surrogate. */
    const type = (text) =>
      page.evaluate((literal) => {
        const box = document.querySelector('#source');
        box.value = JSON.parse(literal);
        box.dispatchEvent(new Event('input'));
      }, JSON.stringify(text));
    for (const text of ['🙂 dog', 'Hello \u0000 world', `${SENTENCES[0]} 🙂`, 'a\u0000', 'I like \ud83d to read \udc00 books.']) {
      await type('');
      await page.waitForFunction(() => document.querySelector('#target-note').textContent === '');
      assert.equal(await target(), '');
      await type(text);
      await finished();
      assert.notEqual(await target(), '');
    }
    assert.match(await target(), /Bücher|lese/);
    assert.ok(await page.isHidden('#failure'));
  });

  test('what was typed survives a reload, and so do the languages', async () => {
    await page.goto(site.url);
    await page.waitForSelector('#offline:visible');
    await page.selectOption('#from', 'de');
    await page.locator('#source').pressSequentially('Guten Morgen!');
    // At once, before any timer of the page.
    await page.reload();
    await page.waitForFunction(() => document.querySelector('#from').value === 'de');
    assert.equal(await page.inputValue('#source'), 'Guten Morgen!');
    await page.waitForFunction(() => /[Mm]orning/.test(document.querySelector('#target').innerText));
  });

  test('clear can be undone', async () => {
    await page.goto(site.url);
    await page.fill('#source', PARAGRAPH);
    await page.click('#clear');
    assert.equal(await page.inputValue('#source'), '');
    await page.click('#undo');
    assert.equal(await page.inputValue('#source'), PARAGRAPH);
  });

  test('the copy button gives the translation, line ends included', async () => {
    await page.goto(site.url);
    await page.fill('#source', `${SENTENCES[0]}\n\n${SENTENCES[1]}`);
    await finished();
    const copied = await told(page, '#copy', 'Copied');
    await page.click('#copy');
    await copied();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `${TRANSLATIONS[0]}\n\n${TRANSLATIONS[1]}`);
  });

  test('a download shows its progress, and typing meanwhile is not lost', async () => {
    await firstVisit();
    const bytes = await readFile(`${site.folder}${MODEL}`);
    let release;
    const released = new Promise((resolve) => (release = resolve));
    site.rules.set(MODEL, async (request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Length': bytes.length });
      let sent = bytes.length >> 1;
      response.write(bytes.subarray(0, sent));
      // A line that is silent for long is given up.
      const more = setInterval(() => response.write(bytes.subarray(sent, ++sent)), 1000);
      await released;
      clearInterval(more);
      response.end(bytes.subarray(sent));
    });
    await page.goto(site.url);
    await page.waitForFunction(() => document.querySelector('#download-bar').value > 0.3);
    await page.fill('#source', SENTENCES[0]);
    assert.match(await page.innerText('#download-label'), /English to German.*\d+ % of \d+\.\d MB/);
    await page.waitForTimeout(300);
    assert.ok(
      (await page.evaluate(() => document.querySelector('#download-bar').value)) > 0.3,
      'typing does not set the bar back',
    );
    release();
    await translated(TRANSLATIONS[0]);
    assert.ok(await page.isHidden('#download'));
  });

  test('a failed download says so and a retry works', async () => {
    await firstVisit();
    site.rules.set(MODEL, answers.status(404));
    await openTyping(page, site, SENTENCES[0]);
    await page.waitForSelector('#failure:visible');
    assert.match(await page.innerText('#failure-text'), /model\.safetensors could not be downloaded.*404/);
    assert.equal(await page.inputValue('#source'), SENTENCES[0]);
    site.rules.clear();
    await page.click('#retry');
    await translated(TRANSLATIONS[0]);
    assert.ok(await page.isHidden('#failure'));
  });

  test('a missing list of models says so and a retry works', async () => {
    await firstVisit();
    site.rules.set('/weights/manifest.json', answers.status(500));
    await page.goto(site.url);
    await page.fill('#source', SENTENCES[0]);
    await page.waitForSelector('#failure:visible');
    assert.match(await page.innerText('#failure-text'), /list of models.*500/);
    site.rules.clear();
    await page.click('#retry');
    await translated(TRANSLATIONS[0]);
  });

  test('a new version of the page is offered, and taken when the visitor says so', async () => {
    await firstVisit();
    await page.goto(site.url);
    await page.waitForFunction(() => navigator.serviceWorker.controller);
    const worker = `${site.folder}/service-worker.js`;
    const current = await readFile(worker, 'utf8');
    await writeFile(worker, current.replace(/"version": "\w+"/, '"version": "next"'));
    await page.reload();
    await page.waitForSelector('#update:visible');
    await page.fill('#source', SENTENCES[0]);
    const another = await page.context().newPage();
    await another.goto(site.url);
    await another.waitForSelector('#update:visible');
    // What is still being fetched would go with the old version.
    await translated(TRANSLATIONS[0]);
    await another.waitForSelector('#offline:visible');
    for (const tab of [page, another]) await Promise.all([tab.waitForEvent('load'), tab.click('#reload')]);
    await another.close();
    assert.equal(await page.inputValue('#source'), SENTENCES[0]);
    assert.deepEqual(await page.evaluate(async () => (await caches.keys()).filter((name) => name.startsWith('dragoman-page'))), [
      'dragoman-page-next',
    ]);
    await writeFile(worker, current);
  });

  test('everything can be done from the keyboard', async () => {
    await page.goto(site.url);
    await page.waitForSelector('#offline:visible');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'source');
    await page.keyboard.type(SENTENCES[0]);
    await translated(TRANSLATIONS[0]);
    await finished();
    const order = [];
    for (let step = 0; step < 4; step++) {
      await page.keyboard.press('Tab');
      order.push(await page.evaluate(() => document.activeElement.id));
    }
    assert.deepEqual(order, ['choose-file', 'clear', 'target', 'copy']);
    await page.focus('#swap');
    await page.keyboard.press('Enter');
    assert.equal(await page.inputValue('#source'), TRANSLATIONS[0]);
  });

  test('a screen reader hears the translation once, after a pause', async () => {
    await page.goto(site.url);
    await page.waitForSelector('#offline:visible');
    await page.evaluate(() => {
      window.heard = [];
      const box = document.querySelector('#announcer');
      new MutationObserver(() => window.heard.push(box.textContent)).observe(box, { childList: true });
    });
    // In the page, where no load on the machine makes a pause between two keys that the page would take for the visitor's.
    await page.evaluate(async (text) => {
      const box = document.querySelector('#source');
      for (const letter of text) {
        box.value += letter;
        box.dispatchEvent(new Event('input'));
        await new Promise((go) => setTimeout(go, 20));
      }
    }, SENTENCES[0]);
    await page.waitForFunction(() => window.heard.length > 0);
    assert.deepEqual(await page.evaluate(() => window.heard), [TRANSLATIONS[0]]);
    assert.equal(await page.getAttribute('#announcer', 'lang'), 'de');
  });
});
