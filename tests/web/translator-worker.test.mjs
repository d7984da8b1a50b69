/** What many translators, streams and frames make of their worker: turns, cancelling, crashes, the end. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { HEADERS } from '../../scripts/site/serve.mjs';
import { inEachBrowser } from './support/browsers.mjs';
import { pageTests } from './support/page-tests.mjs';
import { until } from './support/patience.mjs';

// Makes a worker fail in the midst of a text that says so: by an error that nobody catches, or without a word.
const CRASH = `addEventListener('message', ({ data: { text = '' } }) => {
  if (text.startsWith('throw')) setTimeout(() => { throw new Error('boom'); }, 50);
  if (text.startsWith('close')) setTimeout(() => self.close(), 50);
});`;
// Has a worker stand still, when it is told to, until the server answers.
const HOLD = `new BroadcastChannel('hold').onmessage = () => {
  const ask = new XMLHttpRequest();
  ask.open('GET', '/hold', false);
  ask.send();
};`;

inEachBrowser((environment) => {
  const { pageTest, openPage } = pageTests(environment);

  /** @param {string} more what every worker runs beside its own */
  function addToWorkers(more) {
    for (const name of ['/worker.js', '/worker-threads.js']) {
      environment.site.rules.set(name, async (request, response) => {
        response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/javascript' });
        response.end(`${await readFile(`${environment.site.folder}${name}`, 'utf8')}; ${more}`);
      });
    }
  }

  pageTest(
    'cancelling a stream stops its work',
    async () => {
      const translator = await create();
      const alone = [];
      for (let round = 0; round < 5; round++) {
        const reader = translator.translateStreaming(LONG).getReader();
        await reader.read();
        await reader.cancel();
        // With the engine idle again, a short text is through long before the long one could have been.
        const begun = performance.now();
        await translator.translate('hello');
        alone.push(performance.now() - begun);
      }
      const whole = performance.now();
      await translator.translate(LONG);
      return { alone: alone.sort((a, b) => a - b)[2], whole: performance.now() - whole };
    },
    ({ alone, whole }) => assert.ok(alone < whole / 4, `${alone} ms against ${whole} ms`),
  );

  pageTest(
    'an abort stops the work in the worker within 50 ms',
    async () => {
      const translator = await create();
      const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
      const short = async () => {
        const begun = performance.now();
        await translator.translate('No.');
        return performance.now() - begun;
      };
      const [alone, behind] = [[], []];
      for (let round = 0; round < 7; round++) {
        alone.push(await short());
        const controller = new AbortController();
        const reading = read(translator.translateStreaming(LONG, { signal: controller.signal }));
        await new Promise((go) => setTimeout(go, 60));
        controller.abort();
        await reading.catch(() => {});
        // The worker comes to this one when the long one is out of its way.
        behind.push(await short());
      }
      // On an idle machine the best and the median are one; on a busy one the distance between them is what chance alone does.
      return { alone: median(alone), behind: Math.min(...behind) };
    },
    ({ alone, behind }) => assert.ok(behind - alone < 50, `${behind} ms against ${alone} ms`),
  );

  pageTest(
    '100 translations at once: all right, and the short ones do not wait for the long one',
    async () => {
      const translator = await create();
      const order = [];
      const long = translator.translate(LONG).then(() => order.push('long'));
      const short = Array.from({ length: 99 }, (_, index) =>
        translator.translate(`I have ${index} books.`).then((text) => {
          order.push(index);
          return text;
        }),
      );
      const texts = await Promise.all(short);
      await long;
      return { texts, last: order.at(-1) };
    },
    ({ texts, last }) => {
      assert.equal(last, 'long');
      for (const [index, text] of texts.entries()) assert.match(text, new RegExp(`\\b${index}\\b`));
    },
  );

  test('the last translator of a direction takes its worker and memory with it', async () => {
    const own = await environment.browser.newContext();
    const page = await openPage(own);
    // The engine's own threads are workers, too: they go with the one that started them.
    const workers = () => page.workers().length;
    const engines = () => page.workers().filter((worker) => /\/worker(-threads)?\.js$/.test(worker.url()));
    await page.evaluate(async () => (window.pair = [await create(), await create()]));
    await until(() => engines().length > 0);
    assert.equal(engines().length, 1, 'two translators share a worker');
    await page.evaluate(() => pair[0].destroy());
    assert.equal(await page.evaluate(() => pair[1].translate('No.')), 'Nein.');
    await page.evaluate(() => pair[1].destroy());
    await until(() => workers() === 0);
    // And one that is simply forgotten goes with the garbage.
    const begun = page.waitForEvent('worker');
    await page.evaluate(async () => void (await create()));
    await begun;
    // Once may not be enough: a promise that has just settled may still hold it.
    await until(() => page.evaluate(() => collectGarbage()).then(() => workers() === 0));
    await own.close();
  });

  pageTest(
    'a stream is read to its end though its translator was collected',
    async () => {
      // In a function of its own: a variable of this one would hold the translator.
      const stream = await (async () => {
        const translator = await create();
        new BroadcastChannel('hold').postMessage('');
        await fetch('/held');
        return translator.translateStreaming(LONG);
      })();
      let ended = false;
      const reading = read(stream).finally(() => (ended = true));
      // More than once: a promise that has just settled may still hold the translator.
      for (let round = 0; round < 5; round++) await collectGarbage();
      const collectedBefore = !ended;
      await fetch('/release');
      return { collectedBefore, text: (await reading).join(''), whole: await (await create()).translate(LONG) };
    },
    ({ collectedBefore, text, whole }) => {
      assert.ok(collectedBefore, 'the garbage was collected while the stream was read');
      assert.equal(text, whole);
    },
    {
      fresh: true,
      setup: () => {
        addToWorkers(HOLD);
        const { rules } = environment.site;
        const answer = (response) => response.writeHead(204, HEADERS).end();
        let [hold, release] = [];
        const held = new Promise((resolve) => (hold = resolve));
        const released = new Promise((resolve) => (release = resolve));
        rules.set('/hold', (_, response) => {
          hold();
          released.then(() => answer(response));
        });
        rules.set('/held', (_, response) => held.then(() => answer(response)));
        rules.set('/release', (_, response) => {
          release();
          answer(response);
        });
      },
    },
  );

  pageTest(
    'a crash of the worker rejects pending calls with OperationError; later calls get a new worker',
    async () => {
      const translator = await create();
      const results = [];
      for (const how of ['throw', 'close']) {
        const text = `${how} ${LONG}`;
        const pending = [outcome(translator.translate(text)), outcome(read(translator.translateStreaming(text)))];
        results.push(...(await Promise.all(pending)).map(({ error }) => error), await translator.translate('No.'));
      }
      return results;
    },
    (results) => assert.deepEqual(results, Array(2).fill(['OperationError', 'OperationError', 'Nein.']).flat()),
    {
      fresh: true,
      setup: () => addToWorkers(CRASH),
    },
  );

  pageTest(
    'a frame without an address works; when it is removed, every call is an InvalidStateError',
    async () => {
      const frame = document.createElement('iframe');
      frame.srcdoc = '<script type="module" src="/frame.js"></script>';
      const loaded = new Promise((resolve) => (frame.onload = resolve));
      document.body.append(frame);
      await loaded;
      const { Translator, LanguageDetector } = frame.contentWindow.dragoman;
      const [translator, detector] = await Promise.all([Translator.create(EN_DE), LanguageDetector.create()]);
      const working = [await translator.translate('No.'), await Translator.availability(EN_DE)];
      frame.remove();
      const calls = [
        () => Translator.availability(EN_DE),
        () => Translator.create(EN_DE),
        () => translator.translate('No.'),
        () => translator.translateStreaming('No.'),
        () => translator.measureInputUsage('No.'),
        () => LanguageDetector.availability(),
        () => LanguageDetector.create(),
        () => detector.detect('No.'),
      ];
      // With handlers of this document: those of the other one are not run any more.
      const names = await Promise.all(
        calls.map(
          (call) =>
            new Promise((resolve) => {
              const rejected = ({ name }) => resolve(name);
              try {
                call().then(resolve, rejected);
              } catch (error) {
                rejected(error);
              }
            }),
        ),
      );
      return { working, names };
    },
    ({ working, names }) => {
      assert.deepEqual(working, ['Nein.', 'available']);
      assert.deepEqual(names, Array(8).fill('InvalidStateError'));
    },
    {
      fresh: true,
      setup: () => {
        // Without Trusted Types, for srcdoc.
        const { 'Content-Security-Policy': _, ...headers } = HEADERS;
        environment.site.rules.set('/blank.html', (_, response) => {
          response
            .writeHead(200, { ...headers, 'Content-Type': 'text/html' })
            .end('<!doctype html><title>Blank</title><p>Blank.');
        });
        return writeFile(
          `${environment.site.folder}/frame.js`,
          "import * as dragoman from './dragoman.js'; window.dragoman = dragoman;",
        );
      },
    },
  );

  pageTest(
    'an empty call costs under a millisecond; streaming adds under 5 % to a paragraph',
    async () => {
      const translator = await create();
      const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
      const time = async (work) => {
        const begun = performance.now();
        await work();
        return performance.now() - begun;
      };
      const empty = [];
      for (let round = 0; round < 200; round++) empty.push(await time(() => translator.translate('')));
      const text = LONG.slice(0, 1500);
      // Up to four times: other work on the machine may slow one series, not all of them.
      let [whole, streamed] = [[], []];
      for (let series = 0; series < 4 && !(Math.min(...streamed) < median(whole) * 1.05); series++) {
        [whole, streamed] = [[], []];
        for (let round = 0; round < 9; round++) {
          whole.push(await time(() => translator.translate(text)));
          streamed.push(await time(() => read(translator.translateStreaming(text))));
        }
      }
      // On an idle machine the best and the median are one; on a busy one the distance between them is what chance alone does.
      return { empty: median(empty), whole: median(whole), streamed: Math.min(...streamed) };
    },
    ({ empty, whole, streamed }) => {
      console.log(
        `# ${environment.browserName}: empty ${empty.toFixed(3)} ms; 1,500 characters: ${whole.toFixed(1)} ms, streamed ${streamed.toFixed(1)} ms`,
      );
      assert.ok(empty < 1, `${empty} ms`);
      assert.ok(streamed < whole * 1.05, `${streamed} ms against ${whole} ms`);
    },
  );
});
