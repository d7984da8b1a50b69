/** No request leaves the origin, in whatever state the page is: seen from a proxy that all of the browser's traffic passes. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { firefoxMissing } from './support/firefox.mjs';
import { launchWatched } from './support/proxy.mjs';
import { answers, openSite } from './support/site.mjs';

const MODEL = '/weights/en-de/model.safetensors';
const MANIFEST = '/weights/manifest.json';
// Text that would fetch something if anything took it for more than text.
const HOSTILE = [
  'See https://elsewhere.test/page and http://elsewhere.test/image.png today.',
  '<img src="http://elsewhere.test/1.png"><script src="http://elsewhere.test/1.js"></script>',
  '<link rel="stylesheet" href="http://elsewhere.test/1.css"><iframe src="http://elsewhere.test/"></iframe>',
  '![picture](http://elsewhere.test/2.png) url(http://elsewhere.test/3.png) @import "http://elsewhere.test/2.css";',
].join('\n');

for (const browserName of /** @type {const} */ (['Chromium', 'Firefox'])) {
  describe(browserName, { skip: browserName === 'Firefox' && firefoxMissing, timeout: 1_200_000 }, () => {
    let site, watched, page;

    before(async () => {
      [site, watched] = await Promise.all([openSite(), launchWatched(browserName)]);
      page = await (await watched.browser.newContext()).newPage();
    });

    after(async () => {
      await watched?.close();
      await site?.close();
    });

    const settled = () => page.waitForFunction(() => /tokens\/s$/.test(document.querySelector('#target-note').textContent));

    /** Uses whatever can be used: each choice of each menu, each button, each file field. What goes meanwhile is passed over. */
    async function useEverything() {
      const controls = page.locator('main :is(button, select, summary, input), footer button');
      for (let i = 0; i < (await controls.count()); i++) {
        const control = controls.nth(i);
        if (await control.isVisible()) await use(control, { timeout: 5000 }).catch(passOver);
      }
    }

    /** @param {Error} error */
    function passOver(error) {
      if (error.name !== 'TimeoutError') throw error;
    }

    /** @param {import('playwright-core').Locator} control @param {{timeout: number}} patience */
    async function use(control, patience) {
      if (!(await control.isEnabled(patience))) return;
      const kindOf = (found) => (found instanceof HTMLInputElement ? found.type : found.localName);
      const kind = await control.evaluate(kindOf, undefined, patience);
      if (kind === 'select') {
        const valuesOf = (menu) => [...menu.options].map(({ value }) => value);
        const values = await control.evaluate(valuesOf, undefined, patience);
        for (const value of values) await control.selectOption(value, patience).catch(passOver);
      } else if (kind === 'file') {
        const buffer = Buffer.from(`<!doctype html><html><body>${HOSTILE}</body></html>`);
        await control.setInputFiles({ name: 'hostile.html', mimeType: 'text/html', buffer }, patience);
      } else {
        await control.click(patience).catch(() => {});
      }
    }

    test('first visit, download, failures, hostile text, every control, reload, without a network', async () => {
      site.rules.set(MANIFEST, answers.status(500));
      await page.goto(site.url);
      await page.waitForSelector('#failure:visible');
      site.rules.clear();
      site.rules.set(MODEL, answers.html);
      // Without a list typing begins no attempt of its own: there is one, which fails, and then another.
      await page.fill('#source', HOSTILE);
      await page.click('#retry');
      await page.waitForSelector('#failure:visible');
      site.rules.clear();
      await page.click('#retry');
      await settled();
      await useEverything();
      await page.fill('#source', HOSTILE);
      await page.reload();
      // On the first visit it may have met the list that failed.
      await page.evaluate(() => navigator.serviceWorker.ready);
      await page.fill('#source', HOSTILE);
      await settled();
      await useEverything();
      // The direction that was chosen last has its model.
      await page.evaluate(async () => {
        const { Translator } = await import('/dragoman.js');
        const [sourceLanguage, targetLanguage] = ['from', 'to'].map((id) => document.getElementById(id).value);
        while ((await Translator.availability({ sourceLanguage, targetLanguage })) !== 'available')
          await new Promise((go) => setTimeout(go, 50));
      });
      site.stop();
      await page.reload();
      await page.fill('#source', HOSTILE);
      await settled();
      assert.ok(site.requests.includes('/worker.js') || site.requests.includes('/worker-threads.js'), 'workers are counted');
      assert.deepEqual([...watched.hosts], [new URL(site.url).host]);
    });

    test('what the proxy would see if there were such a request', async () => {
      const other = await openSite({ headers: {} });
      await page.goto(`${other.url}blank.html`);
      await page.evaluate(() => fetch('http://elsewhere.test/', { mode: 'no-cors' }).catch(() => {}));
      await page.evaluate(() => fetch('https://elsewhere.test/', { mode: 'no-cors' }).catch(() => {}));
      await other.close();
      assert.ok(watched.hosts.has('elsewhere.test'));
      assert.ok(watched.hosts.has('elsewhere.test:443'));
    });
  });
}
