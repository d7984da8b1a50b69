/**
 * The Translator API, sentence by sentence of the specification. The cases follow web-platform-tests' ai/translator and
 * ai/resources/util.js (what they expect, not their code), and add what those leave open.
 */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { before, test } from 'node:test';
import { HEADERS } from '../../scripts/serve.mjs';
import { inEachBrowser } from './support/browsers.mjs';
import { collectGarbage } from './support/garbage.mjs';

const MANIFEST = '/weights/manifest.json';
// Makes a worker fail when it is told to: by an error that nobody catches, or without a word.
const CRASH = `new BroadcastChannel('crash').onmessage = ({ data }) => {
  if (data === 'throw') throw new Error('boom');
  self.close();
};`;

inEachBrowser((environment) => {
  let site, browser, page;

  before(async () => {
    ({ site, browser } = environment);
    page = await openPage(await browser.newContext());
  });

  async function openPage(context) {
    const page = await context.newPage();
    await page.addInitScript(`window.collectGarbage = ${collectGarbage}`);
    await page.goto(`${site.url}blank.html`);
    await page.evaluate(async () => {
      Object.assign(window, await import('/dragoman.js'));
      window.EN_DE = { sourceLanguage: 'en', targetLanguage: 'de' };
      window.create = (options) => Translator.create({ ...EN_DE, ...options });
      window.LONG = 'The museum, which was built in 1889, is closed on Mondays. '.repeat(150);
      /** How a promise ends, in a form that can leave the page. */
      window.outcome = (promise) =>
        Promise.resolve(promise).then(
          (value) => ({ value: typeof value === 'string' || typeof value === 'number' ? value : typeof value }),
          (error) => ({ error: error?.name, message: error?.message, type: error?.constructor?.name }),
        );
      window.read = async (stream) => {
        const pieces = [];
        for await (const piece of stream) pieces.push(piece);
        return pieces;
      };
    });
    return page;
  }

  /** A test whose body runs in the page, in a fresh profile if it asks for one. */
  function pageTest(name, body, check, { fresh = false, setup } = {}) {
    test(name, async () => {
      await setup?.();
      const own = fresh ? await browser.newContext() : undefined;
      try {
        const result = await (own ? await openPage(own) : page).evaluate(body);
        await check(result);
      } finally {
        await own?.close();
        site.rules.clear();
      }
    });
  }

  pageTest('availability: downloadable, downloading, available; unavailable for a direction that is not there', async () => {
    const states = [await Translator.availability(EN_DE)];
    const creating = create();
    // The download holds its lock as soon as the worker has begun.
    const settled = creating.then(() => true, () => true);
    const soon = () => new Promise((go) => setTimeout(go, 1));
    while ((await Translator.availability(EN_DE)) === 'downloadable' && !(await Promise.race([settled, soon()])));
    states.push(await Translator.availability(EN_DE));
    (await creating).destroy();
    states.push(await Translator.availability(EN_DE));
    states.push(await Translator.availability({ sourceLanguage: 'en', targetLanguage: 'ja' }));
    states.push(await Translator.availability({ sourceLanguage: 'de', targetLanguage: 'de' }));
    return states;
  }, (states) => {
    assert.deepEqual(states, ['downloadable', 'downloading', 'available', 'unavailable', 'unavailable']);
  }, {
    fresh: true,
    setup: () => site.rules.set('/weights/en-de/model.safetensors', (request, response, serveFile) => setTimeout(serveFile, 400)),
  });

  pageTest('language tags match as BCP 47 prefixes and are given back canonical', async () => {
    const translator = await create({ sourceLanguage: 'EN-us', targetLanguage: 'de-at-u-co-phonebk' });
    return [translator.sourceLanguage, translator.targetLanguage, await Translator.availability({ sourceLanguage: 'en-Latn-GB', targetLanguage: 'de-CH-1996' })];
  }, (result) => assert.deepEqual(result, ['en-US', 'de-AT-u-co-phonebk', 'available']));

  pageTest('malformed tags are RangeErrors, missing options TypeErrors, unknown directions NotSupportedErrors', () =>
    Promise.all([
      outcome(create({ sourceLanguage: 'e_n' })),
      outcome(Translator.availability({ sourceLanguage: 'en', targetLanguage: '' })),
      outcome(Translator.create()),
      outcome(Translator.create({ sourceLanguage: 'en' })),
      outcome(Translator.availability({ targetLanguage: 'de' })),
      outcome(create({ targetLanguage: 'ja' })),
      outcome(new Promise((resolve) => resolve(new Translator()))),
    ]), (results) => {
    assert.deepEqual(results.map(({ error }) => error),
      ['RangeError', 'RangeError', 'TypeError', 'TypeError', 'TypeError', 'NotSupportedError', 'TypeError']);
  });

  pageTest('translate gives the translation; translateStreaming gives the same in pieces, as a real ReadableStream', async () => {
    const translator = await create();
    const text = 'I like to read books in the evening. My brother bought a new bicycle yesterday.';
    const stream = translator.translateStreaming(text);
    const isStream = stream instanceof ReadableStream;
    const pieces = await read(stream);
    return { isStream, pieces, whole: await translator.translate(text), tag: String(translator) };
  }, ({ isStream, pieces, whole, tag }) => {
    assert.ok(isStream);
    assert.ok(pieces.length > 5 && pieces.every((piece) => piece.length > 0), `${pieces.length} pieces, none empty`);
    assert.equal(pieces.join(''), whole);
    assert.equal(whole, 'Ich lese gerne Bücher am Abend. Mein Bruder hat gestern ein neues Fahrrad gekauft.');
    assert.equal(tag, '[object Translator]');
  });

  pageTest('text without anything to translate comes back unchanged, by both methods', async () => {
    const translator = await create();
    const texts = ['', ' ', '     ', ' \r\n\t\f', '🙂', '…!?', '\ud800'];
    for (let code = 0; code < 0x20; code++) texts.push(String.fromCharCode(code));
    const whole = await Promise.all(texts.map((text) => translator.translate(text)));
    const streamed = await Promise.all(texts.map(async (text) => (await read(translator.translateStreaming(text))).join('')));
    const changed = texts.filter((text, index) => whole[index] !== text || streamed[index] !== text);
    const mixed = await Promise.all(texts.slice(0, 4).map((text) => translator.translate(`Hello ${text} world`)));
    return { changed: changed.map(escape), mixed };
  }, ({ changed, mixed }) => {
    assert.deepEqual(changed, []);
    for (const text of mixed) assert.doesNotMatch(text, /^Hello\s+world$/);
  });

  pageTest('lone surrogates and NUL: a translation and no error', async () => {
    const translator = await create();
    const texts = await Promise.all(['I like \ud83d books. \udc00', 'Hello\u0000 world'].map((text) => translator.translate(text)));
    return texts.map((text) => text.length > 0 && text.isWellFormed());
  }, (results) => assert.deepEqual(results, [true, true]));

  pageTest('a million letters without a blank are no text and come back unchanged', async () => {
    const translator = await create();
    const data = 'x'.repeat(1_000_000);
    return (await translator.translate(data)) === data;
  }, assert.ok);

  pageTest('the argument is a DOMString: converted, and required', async () => {
    const translator = await create();
    return [await outcome(translator.translate(42)), await outcome(translator.translate()), await outcome(translator.translate(Symbol('s'))), await outcome(translator.translate('No.', null))];
  }, ([number, missing, symbol, empty]) => {
    assert.equal(empty.value, 'Nein.');
    assert.equal(number.value, '42');
    assert.deepEqual([missing.error, symbol.error], ['TypeError', 'TypeError']);
  });

  pageTest('downloadprogress: first 0, last 1, strictly rising multiples of 1/65536, none after settling; also when stored', async () => {
    const runs = [];
    for (let round = 0; round < 2; round++) {
      const events = [];
      let settled = false;
      const translator = await create({
        monitor: (monitor) =>
          monitor.addEventListener('downloadprogress', (event) =>
            events.push({ loaded: event.loaded, total: event.total, computable: event.lengthComputable, settled, real: event instanceof ProgressEvent })),
      });
      settled = true;
      await new Promise((go) => setTimeout(go, 100));
      translator.destroy();
      runs.push(events);
    }
    return runs;
  }, (runs) => {
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
  }, {
    fresh: true,
    setup: () => site.rules.set('/weights/en-de/vocab.spm', (request, response, serveFile) => setTimeout(serveFile, 200)),
  });

  pageTest('ondownloadprogress works as an attribute; what the monitor callback throws rejects the creation', async () => {
    const events = [];
    await create({ monitor: (monitor) => (monitor.ondownloadprogress = ({ loaded }) => events.push(loaded)) });
    const error = new Error('mine');
    const thrown = await create({ monitor: () => { throw error; } }).catch((reason) => reason === error);
    return { events, thrown };
  }, ({ events, thrown }) => {
    assert.deepEqual([events[0], events.at(-1), thrown], [0, 1, true]);
  });

  pageTest('aborting create at the first and at the last progress event rejects with the reason and silences the monitor', async () => {
    const results = [];
    for (const at of [0, 1]) {
      const controller = new AbortController();
      const reason = new Error('test');
      const after = [];
      const { promise, resolve } = Promise.withResolvers();
      const creating = create({
        signal: controller.signal,
        monitor: (monitor) => monitor.addEventListener('downloadprogress', ({ loaded }) => {
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
  }, (results) => assert.deepEqual(results, [[true, []], [true, []]]), { fresh: true });

  pageTest('both abort forms, before and during, default and own reason, for create, translate, measureInputUsage', async () => {
    const translator = await create();
    const methods = {
      create: (signal) => create({ signal }),
      translate: (signal) => translator.translate('hello', { signal }),
      blank: (signal) => translator.translate(' ', { signal }),
      long: (signal) => translator.translate(LONG, { signal }),
      measure: (signal) => translator.measureInputUsage('hello', { signal }),
    };
    const failures = [];
    for (const [name, method] of Object.entries(methods)) {
      for (const own of [undefined, new Error('test'), 'a string']) {
        const controller = new AbortController();
        const during = method(controller.signal);
        controller.abort(own);
        const again = method(controller.signal);
        for (const [form, promise] of Object.entries({ during, again })) {
          const error = await promise.then(() => 'resolved', (reason) => reason);
          const right = own === undefined ? error instanceof DOMException && error.name === 'AbortError' : error === own;
          if (!right) failures.push(`${name} ${form} ${own}: ${error}`);
        }
      }
    }
    return failures;
  }, (failures) => assert.deepEqual(failures, []));

  pageTest('aborting a stream errors it with the reason; an aborted signal throws at once', async () => {
    const translator = await create();
    const results = [];
    for (const own of [undefined, new DOMException('test', 'VersionError')]) {
      const controller = new AbortController();
      const before = translator.translateStreaming(LONG, { signal: controller.signal });
      controller.abort(own);
      const error = await before.pipeTo(new WritableStream()).catch((reason) => reason);
      let thrown;
      try {
        translator.translateStreaming('hello', { signal: controller.signal });
      } catch (reason) {
        thrown = reason;
      }
      const midway = new AbortController();
      const reading = translator.translateStreaming(LONG, { signal: midway.signal }).pipeTo(new WritableStream({ write: () => midway.abort(own) }));
      const during = await reading.catch((reason) => reason);
      results.push([error, thrown, during].map((reason) => (own ? reason === own : reason.name)));
    }
    return results;
  }, (results) => assert.deepEqual(results, [['AbortError', 'AbortError', 'AbortError'], [true, true, true]]));

  pageTest('destroy aborts what is under way and all that follows, with an AbortError', async () => {
    const translator = await create();
    const stream = translator.translateStreaming(LONG);
    const promises = [translator.translate(LONG), translator.measureInputUsage('hello'), translator.translate(' ')];
    translator.destroy();
    translator.destroy();
    promises.push(translator.translate('hello'), translator.measureInputUsage('hello'), stream.pipeTo(new WritableStream()));
    promises.push(new Promise(() => translator.translateStreaming('hello')));
    return Promise.all(promises.map(outcome));
  }, (results) => {
    assert.equal(results.length, 7);
    for (const { error } of results) assert.equal(error, 'AbortError');
  });

  pageTest('the signal given to create destroys the translator later, with its reason', async () => {
    const controller = new AbortController();
    const translator = await create({ signal: controller.signal });
    const promises = [translator.translate(LONG), translator.measureInputUsage('hello')];
    const reason = new Error('The create abort signal was aborted.');
    controller.abort(reason);
    promises.push(translator.translate('hello'));
    return Promise.all(promises.map((promise) => promise.catch((error) => error === reason)));
  }, (results) => assert.deepEqual(results, [true, true, true]));

  pageTest('measureInputUsage and inputQuota; a text over the quota is a QuotaExceededError with its numbers', async () => {
    const translator = await create();
    const usage = await translator.measureInputUsage('hello');
    const tooLong = 'a'.repeat(translator.inputQuota + 1);
    const error = await translator.translate(tooLong).catch((reason) => reason);
    const streamError = await read(translator.translateStreaming(tooLong)).catch((reason) => reason);
    return {
      usage, quota: translator.inputQuota, name: error.name, requested: error.requested, errorQuota: error.quota,
      native: error instanceof (window.QuotaExceededError ?? DOMException), stream: streamError.name,
    };
  }, ({ usage, quota, ...error }) => {
    assert.ok(usage > 0 && usage <= quota);
    assert.deepEqual(error, { name: 'QuotaExceededError', requested: quota + 1, errorQuota: quota, native: true, stream: 'QuotaExceededError' });
  });

  pageTest('cancelling a stream stops its work', async () => {
    const translator = await create();
    const reader = translator.translateStreaming(LONG).getReader();
    await reader.read();
    await reader.cancel();
    // With the engine idle again, a short text is through long before the long one could have been.
    const begun = performance.now();
    await translator.translate('hello');
    const alone = performance.now() - begun;
    const whole = performance.now();
    await translator.translate(LONG);
    return { alone, whole: performance.now() - whole };
  }, ({ alone, whole }) => assert.ok(alone < whole / 4, `${alone} ms against ${whole} ms`));

  pageTest('an abort stops the work in the worker within 50 ms', async () => {
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
    return { alone: median(alone), behind: median(behind) };
  }, ({ alone, behind }) => assert.ok(behind - alone < 50, `${behind} ms against ${alone} ms`));

  pageTest('100 translations at once: all right, and the short ones do not wait for the long one', async () => {
    const translator = await create();
    const order = [];
    const long = translator.translate(LONG).then(() => order.push('long'));
    const short = Array.from({ length: 99 }, (_, index) =>
      translator.translate(`I have ${index} books.`).then((text) => {
        order.push(index);
        return text;
      }));
    const texts = await Promise.all(short);
    await long;
    return { texts, last: order.at(-1) };
  }, ({ texts, last }) => {
    assert.equal(last, 'long');
    texts.forEach((text, index) => assert.match(text, new RegExp(`\\b${index}\\b`)));
  });

  test('the last translator of a direction takes its worker and memory with it', async () => {
    const own = await browser.newContext();
    const page = await openPage(own);
    // The engine's own threads are workers, too: they go with the one that started them.
    const workers = () => page.workers().length;
    const engines = () => page.workers().filter((worker) => /\/worker(-threads)?\.js$/.test(worker.url()));
    const allGone = () => Promise.all(page.workers().map((worker) => worker.waitForEvent('close')));
    await page.evaluate(async () => (window.pair = [await create(), await create()]));
    assert.equal(engines().length, 1, 'two translators share a worker');
    await page.evaluate(() => pair[0].destroy());
    assert.equal(await page.evaluate(() => pair[1].translate('No.')), 'Nein.');
    const gone = allGone();
    await page.evaluate(() => pair[1].destroy());
    await gone;
    assert.equal(workers(), 0);
    // And one that is simply forgotten goes with the garbage.
    await page.evaluate(async () => void (await create()));
    const forgotten = allGone();
    // Once may not be enough: a promise that has just settled may still hold it.
    for (let round = 0; round < 50 && workers() > 0; round++) await page.evaluate(() => collectGarbage());
    await forgotten;
    await own.close();
  });

  pageTest('a stream is read to its end though its translator was collected', async () => {
    const stream = (await create()).translateStreaming(LONG);
    let ended = false;
    const reading = read(stream).finally(() => (ended = true));
    // More than once: a promise that has just settled may still hold the translator.
    for (let round = 0; round < 5; round++) await collectGarbage();
    const collectedBefore = !ended;
    return { collectedBefore, text: (await reading).join(''), whole: await (await create()).translate(LONG) };
  }, ({ collectedBefore, text, whole }) => {
    assert.ok(collectedBefore, 'the garbage was collected while the stream was read');
    assert.equal(text, whole);
  });

  pageTest('a crash of the worker rejects pending calls with OperationError; later calls get a new worker', async () => {
    const translator = await create();
    const results = [];
    for (const how of ['throw', 'close']) {
      const pending = [outcome(translator.translate(LONG)), outcome(read(translator.translateStreaming(LONG)))];
      await new Promise((go) => setTimeout(go, 50));
      new BroadcastChannel('crash').postMessage(how);
      results.push(...(await Promise.all(pending)).map(({ error }) => error), await translator.translate('No.'));
    }
    return results;
  }, (results) => assert.deepEqual(results, Array(2).fill(['OperationError', 'OperationError', 'Nein.']).flat()), {
    fresh: true,
    setup: () => {
      for (const name of ['/worker.js', '/worker-threads.js']) {
        site.rules.set(name, async (request, response) => {
          response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/javascript' });
          response.end(`${await readFile(`${site.folder}${name}`, 'utf8')}; ${CRASH}`);
        });
      }
    },
  });

  pageTest('a frame without an address works; when it is removed, every call is an InvalidStateError', async () => {
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
      () => Translator.availability(EN_DE), () => Translator.create(EN_DE), () => translator.translate('No.'),
      () => translator.translateStreaming('No.'), () => translator.measureInputUsage('No.'),
      () => LanguageDetector.availability(), () => LanguageDetector.create(), () => detector.detect('No.'),
    ];
    // With handlers of this document: those of the other one are not run any more.
    const names = await Promise.all(calls.map((call) => new Promise((resolve) => {
      const rejected = ({ name }) => resolve(name);
      try {
        call().then(resolve, rejected);
      } catch (error) {
        rejected(error);
      }
    })));
    return { working, names };
  }, ({ working, names }) => {
    assert.deepEqual(working, ['Nein.', 'available']);
    assert.deepEqual(names, Array(8).fill('InvalidStateError'));
  }, {
    setup: () => writeFile(`${site.folder}/frame.js`, "import * as dragoman from './dragoman.js'; window.dragoman = dragoman;"),
  });

  pageTest('extensions the core lacks are NotSupportedErrors', async () => {
    const translator = await create();
    return Promise.all([{ alternatives: 3 }, { alignment: true }, { format: 'html' }].map((options) => outcome(translator.translate('No.', options))));
  }, (results) => {
    for (const { error } of results) assert.equal(error, 'NotSupportedError');
  });

  test('a direction that is missing goes through English, as one translator', async () => {
    // The same two models under other names: xa to en, and en to xb, so that xa to xb has to be built of both.
    const manifest = JSON.parse(await (await fetch(new URL(MANIFEST, site.url))).text());
    const find = (source) => manifest.models.find((model) => model.sourceLanguage === source);
    const pivot = { version: 1, models: [{ ...find('de'), sourceLanguage: 'xa' }, { ...find('en'), targetLanguage: 'xb' }] };
    for (const file of pivot.models.flatMap((model) => model.files)) file.path = `/weights/${file.path}`;
    const result = await page.evaluate(async (models) => {
      const languages = { sourceLanguage: 'xa', targetLanguage: 'xb', models };
      const before = await Translator.availability(languages);
      const events = [];
      const translator = await Translator.create({ ...languages, monitor: (m) => m.addEventListener('downloadprogress', (e) => events.push(e.loaded)) });
      const text = 'Ich lese gerne Bücher.\n\nWo ist der Bahnhof? Guten Tag!\r\n';
      const whole = await translator.translate(text);
      const pieces = await read(translator.translateStreaming(text));
      const there = await Translator.create({ sourceLanguage: 'de', targetLanguage: 'en' });
      const back = await Translator.create(EN_DE);
      const byHand = await back.translate(await there.translate('Wo ist der Bahnhof? Guten Tag!'));
      const controller = new AbortController();
      const aborted = outcome(translator.translate(LONG, { signal: controller.signal }));
      controller.abort();
      const same = await outcome(Translator.create({ sourceLanguage: 'xa', targetLanguage: 'xa', models }));
      return { before, events, whole, pieces, byHand, aborted: await aborted, same };
    }, pivot);
    assert.ok(['downloadable', 'available'].includes(result.before));
    assert.deepEqual([result.events[0], result.events.at(-1)], [0, 1]);
    assert.equal(result.pieces.join(''), result.whole);
    assert.match(result.whole, /^.+\n\n.+\r\n$/);
    assert.equal(result.whole.split('\n')[2].trim(), result.byHand);
    assert.equal(result.aborted.error, 'AbortError');
    assert.equal(result.same.error, 'NotSupportedError');
  });

  pageTest('registerModel makes own models known', async () => {
    const manifest = await (await fetch('/weights/manifest.json')).json();
    const [model] = manifest.models;
    const own = { ...model, targetLanguage: 'nds', files: model.files.map((file) => ({ ...file, path: `/weights/${file.path}` })) };
    Dragoman.registerModel({ version: 1, models: [own] });
    const translator = await Translator.create({ sourceLanguage: model.sourceLanguage, targetLanguage: 'nds' });
    const bad = await outcome(new Promise(() => Dragoman.registerModel({ version: 2 })));
    return { text: await translator.translate('No.'), bad };
  }, ({ text, bad }) => {
    assert.equal(text, 'Nein.');
    assert.equal(bad.error, 'TypeError');
  }, { fresh: true });

  pageTest('registerModel demands what the schema of manifests says', async () => {
    const schema = await (await fetch('/schema.json')).json();
    const whole = await (await fetch('/weights/manifest.json')).json();
    const model = schema.properties.models.items;
    const file = model.properties.files.items;
    /** The manifest with a fault in it. */
    const change = (edit) => {
      const manifest = structuredClone(whole);
      edit(manifest, manifest.models[0], manifest.models[0].files[0]);
      return manifest;
    };
    const wrong = [
      ...schema.required.map((key) => change((manifest) => delete manifest[key])),
      ...model.required.map((key) => change((manifest, model) => delete model[key])),
      ...file.required.map((key) => change((manifest, model, file) => delete file[key])),
      change((manifest) => (manifest.version = schema.properties.version.const + 1)),
      change((manifest, model, file) => (file.bytes = 0)),
      change((manifest, model, file) => (file.sha256 = file.sha256.toUpperCase())),
      change((manifest, model) => (model.files.length = model.files.length - 1)),
    ];
    const results = await Promise.all(wrong.map((manifest) => outcome(new Promise((resolve) => resolve(Dragoman.registerModel(manifest))))));
    return [...results, await outcome(new Promise((resolve) => resolve(Dragoman.registerModel(whole))))];
  }, (results) => {
    assert.equal(results.pop().error, undefined, 'the manifest as it is');
    assert.deepEqual(results.map(({ error }) => error), Array(13).fill('TypeError'));
  }, {
    fresh: true,
    setup: async () => writeFile(`${site.folder}/schema.json`, await readFile(new URL('../../web/manifest.schema.json', import.meta.url))),
  });

  pageTest('an empty call costs under a millisecond; streaming adds under 5 % to a paragraph', async () => {
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
  }, ({ empty, whole, streamed }) => {
    console.log(`# ${environment.browserName}: empty ${empty.toFixed(3)} ms; 1,500 characters: ${whole.toFixed(1)} ms, streamed ${streamed.toFixed(1)} ms`);
    assert.ok(empty < 1, `${empty} ms`);
    assert.ok(streamed < whole * 1.05, `${streamed} ms against ${whole} ms`);
  });

  pageTest('models may come from a manifest elsewhere, given by URL, and then from nowhere else', async () => {
    const models = '/weights/manifest.json';
    const translator = await create({ models });
    const only = { version: 1, models: (await (await fetch(models)).json()).models.filter((model) => model.sourceLanguage === 'de') };
    return [await translator.translate('No.'), await Translator.availability({ ...EN_DE, models: only }), await outcome(create({ models: { version: 1 } }))];
  }, ([text, availability, malformed]) => {
    assert.deepEqual([text, availability, malformed.error], ['Nein.', 'unavailable', 'TypeError']);
  });

  test('in an insecure context nothing is available, and create says why', async () => {
    const insecure = await browser.newPage();
    await insecure.goto(site.url.replace('127.0.0.1', 'insecure.test') + 'blank.html');
    const result = await insecure.evaluate(async () => {
      const { LanguageDetector, Translator } = await import('/dragoman.js');
      const languages = { sourceLanguage: 'en', targetLanguage: 'de' };
      const failure = ({ name, message }) => `${name}: ${message}`;
      const calls = [Translator.availability(languages), LanguageDetector.availability(), Translator.create(languages).catch(failure), LanguageDetector.create().catch(failure)];
      return [isSecureContext, ...(await Promise.all(calls))];
    });
    const refusal = 'NotSupportedError: Dragoman needs a secure context: HTTPS, or localhost.';
    assert.deepEqual(result, [false, 'unavailable', 'unavailable', refusal, refusal]);
    await insecure.close();
  });

  pageTest('a list of models that cannot be had is a NetworkError, and a later call tries again', async () => {
    const results = [await outcome(create({ models: '/nowhere.json' })), await outcome(create({ models: '/blank.html' }))];
    results.push(await outcome(create()));
    return results;
  }, ([missing, html, retry]) => {
    assert.deepEqual([missing.error, html.error, retry.value], ['NetworkError', 'NetworkError', 'object']);
  });
});
