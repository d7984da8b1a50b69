/**
 * The LanguageDetector API, after the specification and web-platform-tests' ai/language_detection; and whether it is right,
 * on fixtures/languages.tsv: four sentences of ten words and more for each of 30 languages, drawn at random from NTREX-128
 * (CC-BY-SA 4.0).
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, test } from 'node:test';
import { inEachBrowser } from './support/browsers.mjs';
import { answers } from './support/site.mjs';

inEachBrowser((environment) => {
  let site, browser, page;

  before(async () => {
    ({ site, browser } = environment);
    page = await openPage();
  });

  async function openPage() {
    const page = await browser.newPage();
    await page.goto(`${site.url}blank.html`);
    await page.evaluate(async () => {
      Object.assign(window, await import('/dragoman.js'));
      window.outcome = (promise) =>
        promise.then(
          () => 'resolved',
          ({ name }) => name,
        );
    });
    return page;
  }

  test('availability: downloadable, then available; unavailable for a language it does not know', async () => {
    const states = await page.evaluate(async () => [
      await LanguageDetector.availability(),
      await LanguageDetector.create().then(() => LanguageDetector.availability()),
      await LanguageDetector.availability({ expectedInputLanguages: ['en-GB', 'nb'] }),
      await LanguageDetector.availability({ expectedInputLanguages: ['tlh'] }),
      await outcome(LanguageDetector.create({ expectedInputLanguages: ['tlh'] })),
      await outcome(LanguageDetector.create({ expectedInputLanguages: ['e_n'] })),
    ]);
    assert.deepEqual(states, ['downloadable', 'available', 'available', 'unavailable', 'NotSupportedError', 'RangeError']);
  });

  test('expectedInputLanguages: canonical, or null when there are none', async () => {
    const lists = await page.evaluate(async () => {
      const options = [undefined, {}, { expectedInputLanguages: [] }, { expectedInputLanguages: ['EN-us', 'de', 'en-US'] }];
      return (await Promise.all(options.map((option) => LanguageDetector.create(option)))).map(
        (detector) => detector.expectedInputLanguages,
      );
    });
    assert.deepEqual(lists, [null, null, null, ['en-US', 'de']]);
  });

  test('results: falling confidence, und last and least, no more than one in all, 0.99 but for the last', async () => {
    const texts = [
      'Please write a sentence in English.',
      'Hello world!',
      'ok',
      '',
      '12345',
      'Guten',
      'Wo ist der Bahnhof? Where is the station?',
    ];
    const all = await page.evaluate(async (texts) => {
      const detector = await LanguageDetector.create();
      return Promise.all(texts.map((text) => detector.detect(text)));
    }, texts);
    for (const results of all) {
      const unknown = results.pop();
      assert.equal(unknown.detectedLanguage, 'und');
      assert.ok(unknown.confidence > 0);
      let sum = 0;
      let last = 1;
      for (const { detectedLanguage, confidence } of results) {
        assert.equal(detectedLanguage, Intl.getCanonicalLocales(detectedLanguage)[0]);
        assert.ok(confidence > unknown.confidence && confidence <= last);
        last = confidence;
        sum += confidence;
      }
      assert.ok(results.length === 0 || sum - last < 0.99);
      assert.ok(sum + unknown.confidence <= 1 + 1e-9);
    }
    assert.equal(all[0][0].detectedLanguage, 'en');
    assert.equal(all[3].length, 0, 'nothing but und in an empty text');
  });

  test('at least 97 % right in 30 languages', async (t) => {
    const lines = (await readFile(new URL('fixtures/languages.tsv', import.meta.url), 'utf8')).trim().split('\n');
    const cases = lines.map((line) => line.split('\t'));
    const found = await page.evaluate(async (cases) => {
      const detector = await LanguageDetector.create();
      return Promise.all(cases.map(async ([, text]) => (await detector.detect(text))[0].detectedLanguage));
    }, cases);
    // Bokmål is Norwegian to the detector.
    const right = cases.filter(([language], index) => found[index] === language || (language === 'nb' && found[index] === 'no'));
    t.diagnostic(`${right.length} of ${cases.length} right`);
    assert.ok(right.length >= 0.97 * cases.length, `${right.length} of ${cases.length}`);
  });

  test('abort, before and during, own reason and default; destroy; monitor; usage', async () => {
    const failures = await page.evaluate(async () => {
      const failures = [];
      const detector = await LanguageDetector.create();
      const methods = {
        create: (signal) => LanguageDetector.create({ signal }),
        detect: (signal) => detector.detect('Hello world!', { signal }),
        measure: (signal) => detector.measureInputUsage('Hello world!', { signal }),
      };
      for (const [name, method] of Object.entries(methods)) {
        for (const own of [undefined, new Error('test')]) {
          const controller = new AbortController();
          const during = method(controller.signal);
          controller.abort(own);
          for (const promise of [during, method(controller.signal)]) {
            const error = await promise.catch((reason) => reason);
            if (own ? error !== own : error.name !== 'AbortError') failures.push(`${name}: ${error}`);
          }
        }
      }
      const events = [];
      await LanguageDetector.create({
        monitor: (m) => m.addEventListener('downloadprogress', ({ loaded }) => events.push(loaded)),
      });
      if (events[0] !== 0 || events.at(-1) !== 1) failures.push(`events ${events}`);
      const pending = detector.detect('Hello world!');
      detector.destroy();
      for (const promise of [pending, detector.detect('x')])
        if ((await outcome(promise)) !== 'AbortError') failures.push('destroy');
      const other = await LanguageDetector.create();
      const usage = await other.measureInputUsage('Hello world!');
      if (!(usage > 0 && usage <= other.inputQuota)) failures.push(`usage ${usage}`);
      return failures;
    });
    assert.deepEqual(failures, []);
  });

  test('tables that cannot be fetched: NetworkError', async () => {
    site.rules.set(await site.chunk('static.extrasmall'), answers.status(500));
    const other = await openPage();
    assert.equal(await other.evaluate(() => outcome(LanguageDetector.create())), 'NetworkError');
    assert.equal(await other.evaluate(() => LanguageDetector.availability()), 'downloadable');
    site.rules.clear();
    await other.close();
  });
});
