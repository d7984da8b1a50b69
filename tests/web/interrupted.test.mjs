/**
 * Downloads that are interrupted go on: after a reload, in another tab, with a server that has changed, lies, or is none for a
 * while. What comes out is the right model or the right error, whatever happened on the way.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { afterEach, before, beforeEach, test } from 'node:test';
import { inEachBrowser } from './support/browsers.mjs';
import { answers } from './support/site.mjs';

const MODEL = '/weights/en-de/model.safetensors';
const MANIFEST = '/weights/manifest.json';
const FIRST = 3_000_000;

inEachBrowser((environment) => {
  let site, context, page, bytes, asked;

  before(async () => {
    ({ site } = environment);
    bytes = await readFile(`${site.folder}${MODEL}`);
  });

  beforeEach(async () => {
    site.rules.clear();
    asked = [];
    context = await environment.browser.newContext();
    page = await openPage();
  });

  afterEach(() => context.close());

  async function openPage() {
    const page = await context.newPage();
    await page.goto(`${site.url}blank.html`);
    await page.evaluate(async () => {
      Object.assign(window, await import('/dragoman.js'));
      window.attempt = async (options) => {
        const loaded = [];
        const monitor = (m) => m.addEventListener('downloadprogress', (event) => loaded.push(event.loaded));
        try {
          const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', monitor, ...options });
          const text = await translator.translate('No.');
          translator.destroy();
          return { text, loaded };
        } catch ({ name, message }) {
          return { name, message };
        }
      };
      window.parts = async () => {
        const cache = await caches.open('dragoman-models-1');
        return (await cache.keys()).map(({ url }) => url).filter((url) => url.includes('/part/'));
      };
      window.keptBytes = async () => Math.max(0, ...(await parts()).map((url) => Number(url.split('-').at(-1))));
    });
    return page;
  }

  const attempt = (where = page) => where.evaluate(() => attempt());
  const kept = (where = page) => where.evaluate(() => keptBytes());
  const partsLeft = (where = page) => where.evaluate(async () => (await parts()).length);

  /**
   * A good server that knows ranges, and notes what it was asked for.
   * @param {{version?: string, content?: Buffer, until?: number}} [options] until: where the line goes dead
   */
  const serve =
    ({ version = '"1"', content = bytes, until = content.length } = {}) =>
    (request, response) => {
      const { range, 'if-range': condition } = request.headers;
      asked.push({ range, condition });
      const start = range && (!condition || condition === version) ? Number(/\d+/.exec(range)[0]) : 0;
      response.writeHead(start ? 206 : 200, {
        'Content-Type': 'application/octet-stream',
        'Content-Length': content.length - start,
        ETag: version,
        ...(start && { 'Content-Range': `bytes ${start}-${content.length - 1}/${content.length}` }),
      });
      response.write(content.subarray(start, until));
      if (until >= content.length) response.end();
    };

  /** Begins a download and leaves it when some of it is kept. */
  async function interrupt(leave = () => page.close()) {
    site.rules.set(MODEL, serve({ until: FIRST }));
    const abandoned = attempt().catch(() => {});
    while ((await kept()) < FIRST / 2) await new Promise((resolve) => setTimeout(resolve, 20));
    const there = await kept();
    await leave();
    await abandoned;
    page = await openPage();
    asked.length = 0;
    return there;
  }

  const rangeFrom = ({ range }) => Number(/\d+/.exec(range ?? '0')[0]);

  test('after a reload a download goes on where it was, and nothing of it is left over', async () => {
    const there = await interrupt(() => page.reload());
    site.rules.set(MODEL, serve());
    const { text, loaded } = await attempt();
    assert.equal(text, 'Nein.');
    assert.equal(asked.length, 1);
    assert.ok(rangeFrom(asked[0]) >= there, `${asked[0].range}, ${there} were there`);
    assert.equal(asked[0].condition, '"1"');
    assert.ok(loaded[1] > 0.15, `progress goes on from where it was: ${loaded.slice(0, 3)}`);
    assert.equal(await partsLeft(), 0);
    assert.equal((await attempt()).text, 'Nein.', 'what is stored is good');
    assert.equal(asked.length, 1);
  });

  test('a tab that is closed in mid-download: the next one goes on, and so does one that waited', async () => {
    const waiting = await openPage();
    site.rules.set(MODEL, serve({ until: FIRST }));
    const abandoned = attempt().catch(() => {});
    while ((await kept(waiting)) < FIRST / 2) await new Promise((resolve) => setTimeout(resolve, 20));
    const second = attempt(waiting);
    site.rules.set(MODEL, serve());
    await page.close();
    await abandoned;
    assert.equal((await second).text, 'Nein.');
    assert.equal(asked.length, 2);
    assert.ok(rangeFrom(asked[1]) >= FIRST / 2);
    assert.equal(await partsLeft(waiting), 0);
  });

  test('a server that has another version of the file by then sends the whole of it', async () => {
    await interrupt();
    site.rules.set(MODEL, serve({ version: '"2"' }));
    assert.equal((await attempt()).text, 'Nein.');
    assert.deepEqual(
      asked.map(({ condition }) => condition),
      ['"1"'],
    );
  });

  test('a server that has another version and continues all the same: from the start again', async () => {
    await interrupt();
    let times = 0;
    site.rules.set(MODEL, (request, response) => {
      // The condition is lost on the way, as on a proxy that does not know it.
      delete request.headers['if-range'];
      times++;
      serve({ version: '"2"' })(request, response);
    });
    assert.equal((await attempt()).text, 'Nein.');
    assert.equal(times, 2);
    assert.equal(asked[1].range, undefined);
  });

  test('a server that ignores ranges sends the whole again', async () => {
    await interrupt();
    site.rules.set(MODEL, answers.bytes(bytes));
    assert.equal((await attempt()).text, 'Nein.');
    assert.equal(await partsLeft(), 0);
  });

  test('a server that sends another range than it was asked for: from the start again', async () => {
    await interrupt();
    site.rules.set(MODEL, (request, response) => {
      asked.push(request.headers);
      if (!request.headers.range) return answers.bytes(bytes)(request, response);
      response.writeHead(206, { 'Content-Range': `bytes 5-${bytes.length - 1}/${bytes.length}` }).end(bytes.subarray(5));
    });
    assert.equal((await attempt()).text, 'Nein.');
    assert.equal(asked.length, 2);
  });

  test('a server whose file has become shorter: from the start again', async () => {
    await interrupt();
    site.rules.set(MODEL, (request, response) => {
      asked.push(request.headers);
      if (request.headers.range) response.writeHead(416, { 'Content-Range': 'bytes */10' }).end();
      else answers.bytes(bytes)(request, response);
    });
    assert.equal((await attempt()).text, 'Nein.');
    assert.equal(asked.length, 2);
  });

  test('a kept piece that has gone bad: the hash tells, and the whole is fetched', async () => {
    await interrupt();
    await page.evaluate(async () => {
      const cache = await caches.open('dragoman-models-1');
      const [url] = await parts();
      const kept = await cache.match(url);
      const damaged = new Uint8Array(await kept.arrayBuffer());
      damaged[1000] ^= 1;
      await cache.put(url, new Response(damaged, { headers: kept.headers }));
    });
    site.rules.set(MODEL, serve());
    assert.equal((await attempt()).text, 'Nein.');
    assert.deepEqual(
      asked.map(({ range }) => range === undefined),
      [false, true],
    );
  });

  test('kept pieces that are cut short, or of which one is gone: as many as are whole serve', async () => {
    await interrupt();
    await page.evaluate(async () => {
      const cache = await caches.open('dragoman-models-1');
      const urls = await parts();
      const middle = urls.sort((a, b) => Number(a.split('-').at(-1)) - Number(b.split('-').at(-1)))[urls.length >> 1];
      await cache.put(middle, new Response(new Uint8Array(10)));
    });
    site.rules.set(MODEL, serve());
    assert.equal((await attempt()).text, 'Nein.');
    assert.equal(asked.length, 1);
  });

  test('a captive portal in the middle of it: a clear error, and later it goes on where it was', async () => {
    const there = await interrupt();
    site.rules.set(MODEL, answers.html);
    const failure = await attempt();
    assert.equal(failure.name, 'NetworkError');
    assert.match(failure.message, /sent a web page/);
    site.rules.set(MODEL, serve());
    assert.equal((await attempt()).text, 'Nein.');
    assert.ok(rangeFrom(asked[0]) >= there);
  });

  test('a captive portal for the list of models: a clear error, and later it works', async () => {
    site.rules.set(MANIFEST, answers.html);
    const failure = await attempt();
    assert.equal(failure.name, 'NetworkError');
    assert.match(failure.message, /is not a list of models/);
    site.rules.clear();
    assert.equal((await attempt()).text, 'Nein.');
  });

  for (const [what, length] of [
    ['longer', (true_) => true_ + 1000],
    ['shorter', (true_) => true_ - 1000],
  ]) {
    test(`a server that says the file is ${what} than it is: a clear error, and a retry works`, async () => {
      site.rules.set(MODEL, (request, response) => {
        // A browser that has gone leaves none.
        response.socket?.write(`HTTP/1.1 200 OK\r\nContent-Length: ${length(bytes.length)}\r\nConnection: close\r\n\r\n`);
        response.socket?.end(bytes);
      });
      const answer = await attempt();
      // All bytes came, whatever was announced: some browsers give them out, and their hash is right.
      if (answer.text !== 'Nein.') assert.equal(answer.name, 'NetworkError', answer.message);
      site.rules.clear();
      assert.equal((await attempt()).text, 'Nein.');
    });
  }

  test('a server that says the file is text: the hash is what counts', async () => {
    site.rules.set(MODEL, (_, response) => response.writeHead(200, { 'Content-Type': 'text/plain' }).end(bytes));
    assert.equal((await attempt()).text, 'Nein.');
  });

  test('an update in the middle of a download: the new list is read, and its model comes', async () => {
    await interrupt();
    // Another file under the same name, as its new list says.
    const list = JSON.parse(await readFile(`${site.folder}${MANIFEST}`, 'utf8'));
    const [from, to] = ['de', 'en'].map((language) => list.models.find((model) => model.sourceLanguage === language));
    const updated = list.models.map((model) => (model === to ? { ...from, sourceLanguage: 'en', targetLanguage: 'de' } : model));
    const other = await readFile(`${site.folder}/weights/de-en/model.safetensors`);
    const paths = { config: '/weights/en-de/config.json', vocabulary: '/weights/en-de/vocab.spm' };
    for (const file of updated[list.models.indexOf(to)].files) file.path = file.path.replace('de-en', 'en-de');
    let lists = 0;
    site.rules.set(MANIFEST, (request, response, serveFile) => {
      // The page has read the old list; the server's is new from now on.
      if (lists++ === 0) return serveFile();
      answers.bytes(Buffer.from(JSON.stringify({ ...list, models: updated })))(request, response);
    });
    site.rules.set(MODEL, serve({ version: '"2"', content: other }));
    for (const path of Object.values(paths)) {
      const content = await readFile(`${site.folder}${path.replace('en-de', 'de-en')}`);
      site.rules.set(path, answers.bytes(content));
    }
    const { text, name, message } = await attempt();
    assert.equal(typeof text, 'string', `${name}: ${message}`);
    assert.equal(lists, 2);
    assert.equal(await partsLeft(), 0, 'nothing is left of the old one');
  });
});
