/**
 * Models between server, store and memory: what a bad network, a bad server, a bad disk and other tabs can do to them. Each
 * failure is the right exception, and a retry works.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { afterEach, before, beforeEach, test } from 'node:test';
import { HEADERS } from '../../scripts/site/serve.mjs';
import { inEachBrowser } from './support/browsers.mjs';
import { launchFirefox } from './support/firefox.mjs';
import { answers } from './support/site.mjs';

const VOCABULARY = '/weights/en-de/vocab.spm';
const MODEL = '/weights/en-de/model.safetensors';
inEachBrowser((environment) => {
  let site, browser, context, page, vocabulary, modelBytes, roomForOne;

  before(async () => {
    ({ site, browser } = environment);
    vocabulary = await readFile(`${site.folder}${VOCABULARY}`);
    const { models } = JSON.parse(await readFile(`${site.folder}/weights/manifest.json`, 'utf8'));
    const bytesFrom = (language) =>
      models.find(({ sourceLanguage }) => sourceLanguage === language).files.reduce((sum, { bytes }) => sum + bytes, 0);
    modelBytes = bytesFrom('en');
    const both = [modelBytes, bytesFrom('de')];
    roomForOne = Math.max(...both) + Math.min(...both) / 2;
  });

  beforeEach(async () => {
    site.rules.clear();
    site.requests.length = 0;
    context = await browser.newContext();
    page = await openPage();
  });

  afterEach(() => context.close());

  async function openPage(profile = context) {
    const page = await profile.newPage();
    await page.goto(`${site.url}blank.html`);
    await page.evaluate(async () => {
      Object.assign(window, await import('/dragoman.js'));
      window.EN_DE = { sourceLanguage: 'en', targetLanguage: 'de' };
      window.attempt = (options) =>
        Translator.create({ ...EN_DE, ...options }).then(
          async (translator) => {
            const text = await translator.translate('No.');
            translator.destroy();
            return text;
          },
          ({ name, message, requested, quota }) => ({ name, message, requested, quota }),
        );
      window.storedFiles = async () => {
        const cache = await caches.open('dragoman-models-1');
        return (await cache.keys()).map(({ url }) => url).filter((url) => url.includes('/sha256/'));
      };
    });
    return page;
  }

  const attempt = () => page.evaluate(() => attempt());
  /** Tells the server, as '/loaded?…', how much of the model it has. */
  const attemptAloud = () =>
    page.evaluate(() => {
      const tell = ({ loaded }) => fetch(`/loaded?${loaded}`).catch(() => {});
      return attempt({ monitor: (monitor) => monitor.addEventListener('downloadprogress', tell) });
    });
  /**
   * Sends 50,000 bytes of the vocabulary, which is the last file, and breaks off when the page has them: an error overtakes what
   * nobody has read yet.
   */
  const breakOff = (response, start = 0) => {
    response.write(vocabulary.subarray(start, start + 50_000));
    const missing = vocabulary.length - start - 50_000;
    site.rules.set('/loaded', (request, answer) => {
      answer.writeHead(204).end();
      const left = (1 - Number(request.url.split('?')[1])) * modelBytes;
      // Progress is told in steps of 1/65,536.
      if (left < missing + 1 + modelBytes / 65_536) response.destroy();
    });
  };
  const count = (path) => site.requests.filter((request) => request === path).length;

  /** @type {[string, (request: any, response: any) => void, RegExp][]} */
  const permanent = [
    ['404', answers.status(404), /answered 404/],
    ['500', answers.status(500), /answered 500/],
    ['a web page', answers.html, /web page/],
    ['too few bytes', (...args) => answers.bytes(vocabulary.subarray(0, 1000))(...args), /ended after 1000 of \d+ bytes/],
    ['too many bytes', (...args) => answers.bytes(Buffer.concat([vocabulary, vocabulary]))(...args), /more than the \d+ bytes/],
    ['other bytes of the same length', (...args) => answers.bytes(Buffer.alloc(vocabulary.length))(...args), /SHA-256/],
  ];

  for (const [what, answer, message] of permanent) {
    test(`a server that sends ${what}: NetworkError, nothing stored of it, and a retry works`, async () => {
      site.rules.set(VOCABULARY, answer);
      const failure = await attempt();
      assert.equal(failure.name, 'NetworkError');
      assert.match(failure.message, message);
      assert.match(failure.message, /vocab\.spm/);
      site.rules.clear();
      assert.equal(await attempt(), 'Nein.');
    });
  }

  test('a connection that breaks is taken up where it broke', async () => {
    const ranges = [];
    site.rules.set(VOCABULARY, (request, response, serveFile) => {
      ranges.push(request.headers.range);
      if (ranges.length > 2) return serveFile();
      // Two pieces, then the line goes dead.
      const start = Number(/\d+/.exec(request.headers.range ?? '0')[0]);
      const end = vocabulary.length - 1;
      const range = request.headers.range && { 'Content-Range': `bytes ${start}-${end}/${vocabulary.length}` };
      response.writeHead(range ? 206 : 200, { 'Content-Length': vocabulary.length - start, ...range });
      breakOff(response, start);
    });
    assert.equal(await attemptAloud(), 'Nein.');
    assert.deepEqual(ranges, [undefined, 'bytes=50000-', 'bytes=100000-']);
  });

  test('a server without ranges sends the whole file again', async () => {
    let times = 0;
    site.rules.set(VOCABULARY, (request, response) => {
      times++;
      response.writeHead(200, { 'Content-Length': vocabulary.length });
      if (times > 1) return response.end(vocabulary);
      breakOff(response);
    });
    assert.equal(await attemptAloud(), 'Nein.');
    assert.equal(times, 2);
  });

  test('a connection that stalls is given up and taken up again', async () => {
    let times = 0;
    site.rules.set(VOCABULARY, (request, response, serveFile) => {
      if (++times > 1) return serveFile();
      response.writeHead(200, { 'Content-Length': vocabulary.length });
      response.write(vocabulary.subarray(0, 50_000));
    });
    assert.equal(await attempt(), 'Nein.');
    assert.equal(times, 2);
  });

  test('aborting a download stops it at the server too', async () => {
    let closed;
    const ended = new Promise((resolve) => (closed = resolve));
    site.rules.set(MODEL, (request, response) => {
      response.writeHead(200, { 'Content-Length': 1e9 });
      response.write('x'.repeat(1000));
      response.on('close', closed);
    });
    const creating = page.evaluate(async () => {
      window.controller = new AbortController();
      return (await attempt({ signal: controller.signal })).name;
    });
    while (count(MODEL) === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    await page.evaluate(() => controller.abort());
    assert.equal(await creating, 'AbortError');
    await ended;
  });

  test('a stored model survives a reload without a request for it', async () => {
    await attempt();
    assert.equal(count(MODEL), 1);
    await page.close();
    page = await openPage();
    assert.equal(await attempt(), 'Nein.');
    assert.equal(count(MODEL), 1);
    assert.equal(count(VOCABULARY), 1);
  });

  test('two tabs download once; the second hears of the progress; a third finds it stored', async () => {
    const bytes = await readFile(`${site.folder}${MODEL}`);
    const heard = { first: 0, second: 0 };
    site.rules.set('/heard', (request, response) => {
      heard[request.url.split('?')[1]]++;
      response.writeHead(204).end();
    });
    site.rules.set(MODEL, async (request, response) => {
      response.writeHead(200, { 'Content-Length': bytes.length });
      let sent = bytes.length >> 2;
      response.write(bytes.subarray(0, sent));
      // In small pieces until both have heard of some, however long it takes them to begin.
      while (Math.min(heard.first, heard.second) < 3 && sent < 0.75 * bytes.length) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        response.write(bytes.subarray(sent, (sent += 1000)));
      }
      response.end(bytes.subarray(sent));
    });
    const other = await openPage();
    const watch = (page, name) =>
      page.evaluate(async (name) => {
        let between = 0;
        const onProgress = ({ loaded }) => {
          if (loaded <= 0.1 || loaded >= 0.9) return;
          between++;
          fetch(`/heard?${name}`);
        };
        const text = await attempt({ monitor: (m) => m.addEventListener('downloadprogress', onProgress) });
        return { text, between };
      }, name);
    for (const { text, between } of await Promise.all([watch(page, 'first'), watch(other, 'second')])) {
      assert.equal(text, 'Nein.');
      assert.ok(between > 2, `${between} events on the way`);
    }
    assert.equal(count(MODEL), 1);
    const third = await openPage();
    assert.equal(await third.evaluate(() => attempt()), 'Nein.');
    assert.equal(count(MODEL), 1);
  });

  test('the tab that downloads may be closed: the other goes on', async () => {
    site.rules.set(MODEL, (request, response, serveFile) => setTimeout(serveFile, 500));
    const first = await openPage();
    const abandoned = first.evaluate(() => attempt()).catch(() => {});
    while (count(MODEL) === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    const second = attempt();
    await first.close();
    assert.equal(await second, 'Nein.');
    await abandoned;
  });

  test('a corrupted store heals itself', async () => {
    await attempt();
    for (const damage of ['flip', 'truncate']) {
      await page.evaluate(async (damage) => {
        const cache = await caches.open('dragoman-models-1');
        for (const url of await storedFiles()) {
          const bytes = new Uint8Array(await (await cache.match(url)).arrayBuffer());
          if (damage === 'flip') bytes[bytes.length >> 1] ^= 1;
          await cache.put(url, new Response(damage === 'flip' ? bytes : bytes.slice(0, 100)));
        }
      }, damage);
      assert.equal(await attempt(), 'Nein.');
      const before = site.requests.length;
      assert.equal(await attempt(), 'Nein.');
      assert.equal(site.requests.slice(before).filter((path) => path.startsWith('/weights/en-de/')).length, 0, 'healed for good');
    }
  });

  test('storage cleared in mid-use: the translator goes on, and the next one downloads again', async () => {
    const results = await page.evaluate(async () => {
      const translator = await Translator.create(EN_DE);
      for (const name of await caches.keys()) await caches.delete(name);
      const during = await translator.translate('No.');
      translator.destroy();
      return [during, await Translator.availability(EN_DE), await attempt(), await Translator.availability(EN_DE)];
    });
    assert.deepEqual(results, ['Nein.', 'downloadable', 'Nein.', 'available']);
  });

  /** Runs a test in a page whose origin may store one model, whichever it is, but not two. */
  async function withLittleRoom(body) {
    if (environment.browserName === 'Chromium') {
      const session = await context.newCDPSession(page);
      await session.send('Storage.overrideQuotaForOrigin', { origin: new URL(site.url).origin, quotaSize: roomForOne });
      return body(page);
    }
    // Firefox takes its limit for all sites, in KB, at the start; a fifth of it is one site's.
    const firefox = await launchFirefox({ 'dom.quotaManager.temporaryStorage.fixedLimit': Math.round((5 * roomForOne) / 1000) });
    try {
      await body(await openPage(firefox));
    } finally {
      await firefox.close();
    }
  }

  test('a full storage: QuotaExceededError with its numbers; a deleted model makes room, and a retry works', async () => {
    await withLittleRoom(async (page) => {
      const languages = { sourceLanguage: 'de', targetLanguage: 'en' };
      assert.equal(typeof (await page.evaluate((languages) => attempt(languages), languages)), 'string');
      const failure = await page.evaluate(() => attempt());
      assert.equal(failure.name, 'QuotaExceededError', failure.message);
      assert.match(failure.message, /no room to keep the model file model\.safetensors/);
      assert.ok(failure.requested > 1_000_000);
      assert.ok(failure.quota === undefined || failure.quota < failure.requested, 'no quota that would have been enough');
      assert.equal(await page.evaluate(() => Translator.availability(EN_DE)), 'downloadable', 'nothing half stored');
      assert.ok(await page.evaluate((languages) => Dragoman.models.delete(languages), languages));
      assert.equal(await page.evaluate(() => attempt()), 'Nein.');
      assert.equal(await page.evaluate(() => Translator.availability(EN_DE)), 'available');
    });
  });

  test('a full storage that forgets nothing either: pieces stay, the model is stored all the same', async () => {
    // As Firefox does when a piece is to go and there is no room to note it.
    const full = `Cache.prototype.delete = async () => { throw Object.assign(new Error(), { name: 'NS_ERROR_FILE_NO_DEVICE_SPACE' }); };`;
    for (const name of ['/worker.js', '/worker-threads.js']) {
      const script = await readFile(`${site.folder}${name}`, 'utf8');
      site.rules.set(name, (_, response) =>
        response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/javascript' }).end(`${full}${script}`),
      );
    }
    assert.equal(await attempt(), 'Nein.');
    assert.equal(await page.evaluate(() => Translator.availability(EN_DE)), 'available');
  });

  test('models.list says what there is and what is stored; models.delete frees it, and what is shared stays', async () => {
    const result = await page.evaluate(async () => {
      const states = async () =>
        Object.fromEntries(
          (await Dragoman.models.list()).map((model) => [`${model.sourceLanguage}-${model.targetLanguage}`, model.availability]),
        );
      const before = await states();
      const bytes = (await Dragoman.models.list()).map((model) => model.bytes);
      await attempt();
      await Promise.all([attempt({ sourceLanguage: 'de', targetLanguage: 'en' })]);
      const both = await states();
      const deleted = [await Dragoman.models.delete(EN_DE), await Dragoman.models.delete(EN_DE)];
      const one = await states();
      const left = (await storedFiles()).length;
      await Dragoman.models.delete({ sourceLanguage: 'DE', targetLanguage: 'EN' });
      return { before, bytes, both, deleted, one, left, none: (await storedFiles()).length, again: await attempt() };
    });
    const each = (enDe, deEn) => ({ 'en-de': enDe, 'de-en': deEn });
    assert.deepEqual(result.before, each('downloadable', 'downloadable'));
    assert.ok(result.bytes.every((bytes) => bytes > 1_000_000));
    assert.deepEqual(result.both, each('available', 'available'));
    assert.deepEqual(result.deleted, [true, false]);
    assert.equal(result.one['de-en'], 'available');
    assert.equal(result.one['en-de'], 'downloadable');
    assert.ok(result.left >= 2 && result.left <= 3);
    assert.equal(result.none, 0);
    assert.equal(result.again, 'Nein.');
  });

  test('a new version of a model takes the place of the old one in the store', async () => {
    const left = await page.evaluate(async () => {
      // The German-English files under the name of the other direction: a "new version" of it.
      const manifest = await (await fetch('/weights/manifest.json')).json();
      const other = manifest.models.find((model) => model.sourceLanguage === 'de');
      const files = other.files.map((file) => ({ ...file, path: `/weights/${file.path}` }));
      await attempt();
      const before = (await storedFiles()).length;
      const text = await attempt({ models: { version: 1, models: [{ ...EN_DE, files }] } });
      const stored = await storedFiles();
      return {
        before,
        text,
        same: stored.length === before,
        known: files.every((file) => stored.some((url) => url.endsWith(file.sha256))),
      };
    });
    assert.equal(typeof left.text, 'string');
    assert.ok(left.same && left.known);
  });

  test('a list of models that cannot be reached: the one seen last serves, with the models stored', async () => {
    assert.equal(await attempt(), 'Nein.');
    site.rules.set('/weights/manifest.json', (request, response) => response.destroy());
    const later = await openPage();
    assert.equal(await later.evaluate(() => attempt()), 'Nein.');
  });

  test('without the wasm module: NetworkError, and a retry works', async () => {
    for (const build of ['', '-threads']) site.rules.set(`/core/dragoman-core${build}.wasm`, answers.status(404));
    const failure = await attempt();
    assert.equal(failure.name, 'NetworkError');
    assert.match(failure.message, /engine could not be fetched/);
    site.rules.clear();
    assert.equal(await attempt(), 'Nein.');
  });

  test("files that match their hashes but are no model: OperationError with the core's reason", async () => {
    const failure = await page.evaluate(async () => {
      const manifest = await (await fetch('/weights/manifest.json')).json();
      const files = manifest.models[0].files.map((file) => ({ ...file, path: `/weights/${file.path}` }));
      const vocabulary = files.find((file) => file.name === 'vocab.spm');
      const wrong = files.map((file) => (file.name === 'model.safetensors' ? { ...vocabulary, name: file.name } : file));
      return attempt({ models: { version: 1, models: [{ ...EN_DE, files: wrong }] } });
    });
    assert.equal(failure.name, 'OperationError');
    assert.ok(failure.message.length > 10, failure.message);
  });
});
