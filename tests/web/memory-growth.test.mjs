/** WebAssembly memory that may grow no more, from its first, sixth, … growth on: an exception of the API's, and the next translator works. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { HEADERS } from '../../scripts/site/serve.mjs';
import { inEachBrowser } from './support/browsers.mjs';

inEachBrowser((environment) => {
  test('from some growth of the memory on, each is refused', async (t) => {
    const { site, browser } = environment;
    let refused = Number.POSITIVE_INFINITY;
    for (const name of ['/worker.js', '/worker-threads.js']) {
      const script = await readFile(`${site.folder}${name}`, 'utf8');
      site.rules.set(name, (_, response) => {
        response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/javascript', 'Cache-Control': 'no-store' });
        response.end(`import '/refuse.js?${refused}';\n${script}`);
      });
    }
    // Counted by the server and asked for synchronously: a worker that ends at its refusal would take a message with it.
    let refusals = 0;
    site.rules.set('/refused', (_, response) => {
      refusals++;
      response.writeHead(204, HEADERS).end();
    });
    site.rules.set('/refuse.js', (request, response) => {
      response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/javascript', 'Cache-Control': 'no-store' });
      response.end(`let grown = 0;
        const { grow } = WebAssembly.Memory.prototype;
        WebAssembly.Memory.prototype.grow = function (pages) {
          if (grown++ >= ${Number(request.url.split('?')[1])}) {
            const tell = new XMLHttpRequest();
            tell.open('GET', '/refused', false);
            tell.send();
            throw new RangeError('refused');
          }
          return grow.call(this, pages);
        };`);
    });
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${site.url}blank.html`);
    await page.evaluate(() => {
      window.attempt = async () => {
        let translator;
        try {
          const { Translator } = await import('/dragoman.js');
          translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de' });
          return { text: await translator.translate('The museum is closed on Mondays. '.repeat(60)) };
        } catch (error) {
          return { name: error.name, message: error.message, exception: error instanceof DOMException };
        } finally {
          translator?.destroy();
        }
      };
    });
    const attempt = (n) => {
      refused = n;
      return page.evaluate(() => attempt());
    };
    const { text } = await attempt(Number.POSITIVE_INFINITY);
    assert.equal(typeof text, 'string');
    const outcomes = [];
    for (let n = 0; ; n += 5) {
      const before = refusals;
      const outcome = await attempt(n);
      if (refusals === before) break;
      if (outcome.text !== text) {
        assert.ok(
          outcome.exception && outcome.name === 'OperationError' && /not enough memory/.test(outcome.message),
          `growth ${n}: ${outcome.name}: ${outcome.message}`,
        );
      }
      outcomes.push(outcome.message ?? 'right');
      assert.equal((await attempt(Number.POSITIVE_INFINITY)).text, text, `after growth ${n}`);
    }
    t.diagnostic(JSON.stringify(outcomes));
    assert.ok(outcomes.length > 0, 'the memory grows');
    await context.close();
  });
});
