/** Translator.availability() and create(), as translator.test.mjs has what a translator then does. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inEachBrowser } from './support/browsers.mjs';
import { pageTests } from './support/page-tests.mjs';

inEachBrowser((environment) => {
  const { pageTest } = pageTests(environment);

  pageTest(
    'availability: downloadable, downloading, available; unavailable for a direction that is not there',
    async () => {
      const states = [await Translator.availability(EN_DE)];
      const creating = create();
      // The download holds its lock as soon as the worker has begun.
      const settled = creating.then(
        () => true,
        () => true,
      );
      const soon = () => new Promise((go) => setTimeout(go, 1));
      let state;
      do state = await Translator.availability(EN_DE);
      while (state === 'downloadable' && !(await Promise.race([settled, soon()])));
      states.push(state);
      await fetch('/seen');
      (await creating).destroy();
      states.push(await Translator.availability(EN_DE));
      states.push(await Translator.availability({ sourceLanguage: 'en', targetLanguage: 'ja' }));
      states.push(await Translator.availability({ sourceLanguage: 'de', targetLanguage: 'de' }));
      return states;
    },
    (states) => {
      assert.deepEqual(states, ['downloadable', 'downloading', 'available', 'unavailable', 'unavailable']);
    },
    {
      fresh: true,
      setup: () => {
        let see;
        const seen = new Promise((resolve) => (see = resolve));
        environment.site.rules.set('/seen', (request, response) => {
          see();
          response.writeHead(204).end();
        });
        environment.site.rules.set('/weights/en-de/model.safetensors', (request, response, serveFile) => seen.then(serveFile));
      },
    },
  );

  pageTest(
    'language tags match as BCP 47 prefixes and are given back canonical',
    async () => {
      const translator = await create({ sourceLanguage: 'EN-us', targetLanguage: 'de-at-u-co-phonebk' });
      return [
        translator.sourceLanguage,
        translator.targetLanguage,
        await Translator.availability({ sourceLanguage: 'en-Latn-GB', targetLanguage: 'de-CH-1996' }),
      ];
    },
    (result) => assert.deepEqual(result, ['en-US', 'de-AT-u-co-phonebk', 'available']),
  );

  pageTest(
    'malformed tags are RangeErrors, missing options TypeErrors, unknown directions NotSupportedErrors',
    () =>
      Promise.all([
        outcome(create({ sourceLanguage: 'e_n' })),
        outcome(Translator.availability({ sourceLanguage: 'en', targetLanguage: '' })),
        outcome(Translator.create()),
        outcome(Translator.create({ sourceLanguage: 'en' })),
        outcome(Translator.availability({ targetLanguage: 'de' })),
        outcome(create({ targetLanguage: 'ja' })),
        outcome(new Promise((resolve) => resolve(new Translator()))),
      ]),
    (results) => {
      assert.deepEqual(
        results.map(({ error }) => error),
        ['RangeError', 'RangeError', 'TypeError', 'TypeError', 'TypeError', 'NotSupportedError', 'TypeError'],
      );
    },
  );

  pageTest(
    'downloadprogress: first 0, last 1, strictly rising multiples of 1/65536, none after settling; also when stored',
    async () => {
      const runs = [];
      for (let round = 0; round < 2; round++) {
        const events = [];
        let settled = false;
        const translator = await create({
          monitor: (monitor) =>
            monitor.addEventListener('downloadprogress', (event) =>
              events.push({
                loaded: event.loaded,
                total: event.total,
                computable: event.lengthComputable,
                settled,
                real: event instanceof ProgressEvent,
              }),
            ),
        });
        settled = true;
        await new Promise((go) => setTimeout(go, 100));
        translator.destroy();
        runs.push(events);
      }
      return runs;
    },
    (runs) => {
      for (const events of runs) {
        assert.equal(events[0].loaded, 0);
        assert.equal(events.at(-1).loaded, 1);
        events.forEach(({ loaded, total, computable, settled, real }, index) => {
          assert.deepEqual({ total, computable, settled, real }, { total: 1, computable: true, settled: false, real: true });
          assert.equal((loaded * 65536) % 1, 0);
          assert.ok(index === 0 || loaded > events[index - 1].loaded);
        });
      }
      assert.ok(runs[0].length > 2, 'a download of some time tells more than its ends');
    },
    {
      fresh: true,
      setup: () =>
        environment.site.rules.set('/weights/en-de/vocab.spm', (request, response, serveFile) => setTimeout(serveFile, 200)),
    },
  );

  pageTest(
    'ondownloadprogress works as an attribute; what the monitor callback throws rejects the creation',
    async () => {
      const events = [];
      await create({ monitor: (monitor) => (monitor.ondownloadprogress = ({ loaded }) => events.push(loaded)) });
      const error = new Error('mine');
      const thrown = await create({
        monitor: () => {
          throw error;
        },
      }).catch((reason) => reason === error);
      return { events, thrown };
    },
    ({ events, thrown }) => {
      assert.deepEqual([events[0], events.at(-1), thrown], [0, 1, true]);
    },
  );

  pageTest(
    'aborting create at the first and at the last progress event rejects with the reason and silences the monitor',
    async () => {
      const results = [];
      for (const at of [0, 1]) {
        const controller = new AbortController();
        const reason = new Error('test');
        const after = [];
        const { promise, resolve } = Promise.withResolvers();
        const creating = create({
          signal: controller.signal,
          monitor: (monitor) =>
            monitor.addEventListener('downloadprogress', ({ loaded }) => {
              if (controller.signal.aborted) after.push(loaded);
              if (loaded === at) resolve();
            }),
        });
        creating.catch(() => {});
        await promise;
        controller.abort(reason);
        results.push([await creating.catch((error) => error === reason), after]);
        await new Promise((go) => setTimeout(go, 50));
      }
      return results;
    },
    (results) =>
      assert.deepEqual(results, [
        [true, []],
        [true, []],
      ]),
    { fresh: true },
  );

  test('in an insecure context nothing is available, and create says why', async () => {
    const insecure = await environment.browser.newPage();
    await insecure.goto(`${environment.site.url.replace('127.0.0.1', 'insecure.test')}blank.html`);
    const result = await insecure.evaluate(async () => {
      const { LanguageDetector, Translator } = await import('/dragoman.js');
      const languages = { sourceLanguage: 'en', targetLanguage: 'de' };
      const failure = ({ name, message }) => `${name}: ${message}`;
      const calls = [
        Translator.availability(languages),
        LanguageDetector.availability(),
        Translator.create(languages).catch(failure),
        LanguageDetector.create().catch(failure),
      ];
      return [isSecureContext, ...(await Promise.all(calls))];
    });
    const refusal = 'NotSupportedError: Dragoman needs a secure context: HTTPS, or localhost.';
    assert.deepEqual(result, [false, 'unavailable', 'unavailable', refusal, refusal]);
    await insecure.close();
  });
});
