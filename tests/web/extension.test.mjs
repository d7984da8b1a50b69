/** web/examples/extension as a visitor has it: loaded into a browser, it translates a page that knows nothing of it. */
import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { expected } from './support/expected.mjs';
import { firefoxMissing } from './support/firefox.mjs';
import { makePackage } from './support/made.mjs';
import { launchMarionette } from './support/marionette.mjs';
import { PATIENCE } from './support/patience.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SENTENCES = ['Good morning!', 'Where is the station?'];
const translations = await expected(SENTENCES);
const PAGE = `<!doctype html><html lang="en"><title>A page</title><h1>${SENTENCES[0]}</h1><p id="p">${SENTENCES[1]}</p></html>`;
const ID = 'example_dragoman_invalid'; // as Firefox makes it of what the manifest says
let folder, extension, server, url;

before(async () => {
  folder = await mkdtemp(join(root, 'build/extension-test-'));
  extension = join(folder, 'extension');
  await cp(join(root, 'web/examples/extension'), extension, { recursive: true });
  await cp(await makePackage(join(folder, 'package')), join(extension, 'node_modules/dragoman'), { recursive: true });
  // A strict page: what the extension does in it must not need the page's leave.
  const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': "default-src 'none'" };
  server = createServer((_, response) => response.writeHead(200, headers).end(PAGE)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.on('listening', resolve));
  url = `http://127.0.0.1:${server.address().port}/`;
});

after(async () => {
  server?.close();
  await rm(folder, { recursive: true, force: true });
});

test('Chromium: a click translates the page, another one gives it back; a selection is translated alone', {
  timeout: 1_200_000,
}, async (t) => {
  // A click on its button would give it the tab; a test cannot click there.
  const permitted = join(folder, 'permitted');
  await cp(extension, permitted, { recursive: true });
  const manifest = JSON.parse(await readFile(join(extension, 'manifest.json'), 'utf8'));
  await writeFile(join(permitted, 'manifest.json'), JSON.stringify({ ...manifest, host_permissions: ['http://127.0.0.1/*'] }));
  const context = await chromium.launchPersistentContext(join(folder, 'profile'), {
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    ignoreDefaultArgs: ['--disable-extensions'],
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      `--disable-extensions-except=${permitted}`,
      `--load-extension=${permitted}`,
    ],
  });
  t.after(() => context.close());
  context.setDefaultTimeout(PATIENCE);
  const background = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
  const page = await context.newPage();
  await page.goto(url);
  const ask = (what) =>
    background.evaluate(async (what) => {
      // It is there before its script has run.
      while (!(chrome.action.onClicked.hasListeners() && chrome.contextMenus.onClicked.hasListeners()))
        await new Promise((go) => setTimeout(go, 20));
      const [tab] = await chrome.tabs.query({ url: 'http://127.0.0.1/*' });
      if (what === 'page') chrome.action.onClicked.dispatch(tab);
      else chrome.contextMenus.onClicked.dispatch({ menuItemId: 'selection', frameId: 0 }, tab);
    }, what);
  const shown = () => page.evaluate(() => [...document.querySelectorAll('h1, p')].map(({ textContent }) => textContent));
  const until = (wanted) =>
    page.waitForFunction(
      (wanted) => [...document.querySelectorAll('h1, p')].map(({ textContent }) => textContent).join('|') === wanted.join('|'),
      wanted,
    );
  await ask('page');
  await until(translations);
  await ask('page');
  await until(SENTENCES);
  await page.evaluate(() => getSelection().selectAllChildren(document.querySelector('#p')));
  await ask('selection');
  await until([SENTENCES[0], translations[1]]);
  assert.deepEqual(await shown(), [SENTENCES[0], translations[1]]);
});

test('Firefox: the same, by clicks on its button and on its line of the menu', {
  skip: firefoxMissing,
  timeout: 1_200_000,
}, async (t) => {
  const firefox = await launchMarionette(join(folder, 'firefox'));
  t.after(() => firefox.close());
  const { send, click, run } = firefox;
  const around = () => send('Marionette:SetContext', { value: 'chrome' });
  const within = () => send('Marionette:SetContext', { value: 'content' });
  const until = (wanted) =>
    firefox.until(async () => {
      const shown = await run("return [...document.querySelectorAll('h1, p')].map(({ textContent }) => textContent)");
      return shown.join('|') === wanted.join('|');
    });
  const panelIs = (state) =>
    firefox.until(async () => {
      const now = await run("return document.querySelector('#unified-extensions-panel')?.state ?? 'closed'");
      return now === state;
    });
  // While the panel comes or goes, a click may miss what is in it.
  const clickButton = async () => {
    await around();
    await panelIs('closed');
    await click('#unified-extensions-button');
    await panelIs('open');
    await click(`#${ID}-browser-action .unified-extensions-item-action-button`);
    await within();
  };
  await send('Addon:Install', { path: extension, temporary: true });
  await send('WebDriver:Navigate', { url });
  await clickButton();
  await until(translations);
  await clickButton();
  await until(SENTENCES);
  await run("getSelection().selectAllChildren(document.querySelector('#p'))");
  await click('#p', 2);
  await around();
  await click(`[id^="${ID}-menuitem-"]`);
  await within();
  await until([SENTENCES[0], translations[1]]);
});
