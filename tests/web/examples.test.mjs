/**
 * The examples with the npm package as its users get it: installed from the tarball, built where they are built, and run in browsers,
 * Node, Deno and Bun; and from another origin, as from a CDN.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { HEADERS, listen, requestListener, urlOf } from '../../scripts/site/serve.mjs';
import { inEachBrowser } from './support/browsers.mjs';
import { expected } from './support/expected.mjs';
import { misnamed } from './support/names.mjs';
import { packed, root, run } from './support/packed.mjs';

const SENTENCE = 'I like to read books in the evening.';
// Of web/examples/service-worker: title, heading and paragraphs.
const ENGLISH = [
  'The museum',
  'The museum',
  'The museum, which was built in 1889, is closed on Mondays.',
  'Where is the train station?',
];
const [TRANSLATION, ...MUSEUM] = await expected([SENTENCE, ...ENGLISH]);
const FIREFOX_LANGUAGES = 'ar bg bn ca cs da de el es et fa fi fr he hi hr hu id is it ja ko lt lv nl pl pt ru sv uk'.split(' ');
const made = packed();
const servers = [];

after(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** A copy of an example, in which the tarball is installed. */
async function install(name) {
  const project = join(made.folder, 'examples', name);
  await cp(join(root, 'web/examples', name), project, { recursive: true });
  const { dependencies } = JSON.parse(await readFile(join(project, 'package.json'), 'utf8'));
  assert.deepEqual(Object.keys(dependencies), ['dragoman']);
  // Installed once for all of them: unpacking the models takes its time.
  await symlink(join(made.installed, 'node_modules'), join(project, 'node_modules'));
  return project;
}

async function serve(directory, headers) {
  const server = await listen(requestListener(directory, headers), 0);
  servers.push(server);
  return urlOf(server);
}

/** What the browsers are to open, each made once for all of them. */
const sites = {
  plain: once(async () => serve(await install('plain'), HEADERS)),
  vite: once(async () => {
    const project = await install('vite');
    await run(process.execPath, [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn'], { cwd: project });
    return serve(join(project, 'dist'), { 'Content-Security-Policy': HEADERS['Content-Security-Policy'] });
  }),
  page: once(async () => serve(await install('page'), HEADERS)),
  firefoxModels: once(async () => {
    const project = await install('firefox-models');
    await layRemoteSettings(join(project, 'remote-settings'));
    // The page's own policy, in its markup: it registers a service worker by a string, as most sites do.
    const { 'Content-Security-Policy': _, ...headers } = HEADERS;
    const files = requestListener(project, headers);
    const state = { away: false };
    const server = await listen((request, response) => (state.away ? request.socket.destroy() : files(request, response)), 0);
    servers.push(server);
    return { url: urlOf(server), state };
  }),
  serviceWorker: once(async () => {
    // Without Trusted Types: it registers a service worker by a string, as most sites do.
    const policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";
    return serve(await install('service-worker'), { ...HEADERS, 'Content-Security-Policy': policy });
  }),
  cdn: once(async () => {
    const cdn = await serve(join(made.folder, 'package/dist'), {
      'Access-Control-Allow-Origin': '*',
      'Cross-Origin-Resource-Policy': 'cross-origin',
    });
    const site = join(made.folder, 'site');
    await mkdir(site, { recursive: true });
    await writeFile(
      join(site, 'index.html'),
      `<!doctype html><html lang="en"><title>CDN</title><p id="output"></p><script type="module">
      import { Translator } from '${cdn}dragoman.js';
      const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de' });
      output.textContent = await translator.translate('${SENTENCE}');
    </script></html>`,
    );
    const csp = `default-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' ${cdn}; connect-src ${cdn}; worker-src blob: ${cdn}`;
    return serve(site, { 'Content-Security-Policy': csp });
  }),
};

/** Sixty directions, to English and from it, as Remote Settings lists them; all have the weights of one tiny model. */
async function layRemoteSettings(target) {
  const attachments = { model: 'tiny-marian/model.ende.intgemm.alphas.bin', srcvocab: 'tiny-ssru/source.spm' };
  Object.assign(attachments, { trgvocab: 'tiny-ssru/target.spm', lex: 'tiny-marian/lex.ende.s2t.bin' });
  await mkdir(target);
  const lay = (folder, level) =>
    Promise.all(
      Object.entries(attachments).map(async ([fileType, path]) => {
        const bytes = gzipSync(await readFile(join(root, 'tests/data', path)), { level });
        const location = `${folder}-${fileType}`;
        await writeFile(join(target, location), bytes);
        const hash = createHash('sha256').update(bytes).digest('hex');
        return { name: fileType, fileType, version: '2.0', attachment: { location, hash, size: bytes.length } };
      }),
    );
  // Files of the same hash are the same to Dragoman: Swedish has files of its own.
  const [most, swedish] = [await lay('most', 9), await lay('sv', 1)];
  const data = FIREFOX_LANGUAGES.flatMap((tag) =>
    (tag === 'sv' ? swedish : most).flatMap((file) => [
      { ...file, fromLang: 'en', toLang: tag },
      { ...file, fromLang: tag, toLang: 'en' },
    ]),
  );
  await writeFile(join(target, 'records.json'), JSON.stringify({ data }));
}

function once(make) {
  let made;
  return () => (made ??= make());
}

inEachBrowser((environment) => {
  async function open(url) {
    const context = await environment.browser.newContext();
    const page = await context.newPage();
    const problems = [];
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on(
      'console',
      (message) => message.type() === 'error' && !/favicon/.test(message.location().url) && problems.push(message.text()),
    );
    await page.goto(url);
    return { page, problems, close: () => context.close() };
  }

  test('plain page, strict Content-Security-Policy, no bundler', async () => {
    const { page, problems, close } = await open(await sites.plain());
    await page.waitForFunction((wanted) => document.querySelector('#output').textContent === wanted, TRANSLATION);
    await page.locator('dragoman-translate textarea').fill('Where is the train station?');
    await page.waitForFunction(() => document.querySelector('dragoman-translate').translation === 'Wo ist der Bahnhof?');
    const files = ['dragoman', 'element'].map((name) => `import('/node_modules/dragoman/dist/${name}.js')`);
    assert.deepEqual(await page.evaluate(`Promise.all([${files}]).then((all) => all.flatMap(${misnamed}))`), []);
    assert.deepEqual(problems, []);
    await close();
  });

  test('Vite without configuration: build, strict Content-Security-Policy, no cross-origin isolation', async () => {
    const { page, problems, close } = await open(await sites.vite());
    await page.waitForFunction(() => document.querySelector('#output').value === 'Wo ist der Bahnhof?');
    assert.equal(await page.innerText('#language'), 'English');
    await page.fill('#input', SENTENCE);
    await page.waitForFunction((wanted) => document.querySelector('#output').value === wanted, TRANSLATION);
    assert.equal(await page.evaluate(() => crossOriginIsolated), false);
    assert.deepEqual(problems, []);
    await close();
  });

  test('translating a page, and back', async () => {
    const { page, problems, close } = await open(await sites.page());
    const before = await page.innerHTML('#article');
    await page.click('#translate');
    await page.waitForFunction(() => /Wo ist der Bahnhof\?/.test(document.querySelector('#article').textContent));
    await page.waitForFunction(() => document.querySelector('#status').textContent === '');
    assert.match(await page.innerText('#article'), /museum --help.*Musée d’Orsay/s);
    await page.click('#original');
    assert.equal(await page.innerHTML('#article'), before);
    assert.deepEqual(problems, []);
    await close();
  });

  test('a service worker that translates the pages of its site', async () => {
    const { page, problems, close } = await open(await sites.serviceWorker());
    await page.click('#other a');
    await page.waitForURL(/in=de$/);
    const shown = await page.evaluate(() => [
      document.title,
      ...[...document.querySelectorAll('h1, h1 ~ p')].map((e) => e.textContent),
    ]);
    assert.deepEqual(shown, MUSEUM);
    assert.equal(await page.getAttribute('html', 'lang'), 'de');
    assert.equal(await page.locator('p a[href^=https] b').count(), 1);
    // What it uses works in a page, too; there one can see that it leaves no lock behind.
    const ended = await page.evaluate(async (sentence) => {
      const { Translator } = await import('/node_modules/dragoman/dist/same-thread.js');
      const controller = new AbortController();
      const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de' });
      const stopped = translator.translate(sentence.repeat(100), { signal: controller.signal });
      controller.abort();
      const how = await stopped.catch(({ name }) => name);
      const translation = await translator.translate(sentence);
      translator.destroy();
      // The other one is the service worker's.
      while ((await navigator.locks.query()).held.filter(({ name }) => /^dragoman worker/.test(name)).length > 1);
      return [how, translation];
    }, SENTENCE);
    assert.deepEqual(ended, ['AbortError', TRANSLATION]);
    assert.deepEqual(problems, []);
    await close();
  });

  test("Firefox's models: sixty directions in the menus, two hops, a download that is shown, offline", async () => {
    const { url, state } = await sites.firefoxModels();
    const { page, problems, close } = await open(url);
    // The worker keeps what is asked for from when it has taken the page over.
    const ready = () =>
      page.waitForFunction(
        () => /no network/.test(document.querySelector('#status').textContent) && navigator.serviceWorker.controller,
      );
    await ready();
    const offered = (id) => page.$$eval(`#${id} option`, (options) => options.map(({ value }) => value));
    assert.deepEqual((await offered('from')).sort(), [...FIREFOX_LANGUAGES, 'en'].sort());
    assert.deepEqual((await offered('to')).sort(), FIREFOX_LANGUAGES);
    await page.evaluate(() => {
      const progress = document.querySelector('#progress');
      const seen = (globalThis.seen = []);
      new MutationObserver(() => !progress.hidden && seen.push(progress.value)).observe(progress, { attributes: true });
    });
    const translate = async (from, to, text) => {
      await page.selectOption('#from', from);
      await page.selectOption('#to', to);
      await page.fill('#input', text);
      await page.click('button');
      await page.waitForFunction(() => !/^(One moment …)?$/.test(document.querySelector('#status').textContent));
      return { output: await page.textContent('#output'), status: await page.textContent('#status') };
    };
    const there = await translate('da', 'en', 'one of these');
    assert.equal(there.status, 'Done');
    assert.notEqual(there.output, '');
    const seen = await page.evaluate(() => globalThis.seen);
    assert.deepEqual([seen.at(0), seen.at(-1)], [0, 1]);
    const on = await translate('en', 'fr', there.output);
    assert.deepEqual(await translate('da', 'fr', 'one of these'), on, 'through English');
    state.away = true;
    await page.reload();
    await ready();
    assert.deepEqual(await translate('da', 'en', 'one of these'), there, 'stored');
    const absent = await translate('sv', 'en', 'one of these');
    assert.match(absent.status, /network|download|fetch/i);
    problems.length = 0; // the browser's own words on that fetch
    state.away = false;
    assert.deepEqual(await translate('sv', 'en', 'one of these'), there, 'the same weights, once they can be had');
    assert.deepEqual(problems, []);
    await close();
  });

  test('from another origin, by one script element, as from a CDN', async () => {
    const { page, problems, close } = await open(await sites.cdn());
    await page.waitForFunction((wanted) => document.querySelector('#output').textContent === wanted, TRANSLATION);
    assert.deepEqual(problems, []);
    await close();
  });
});

test('Node: standard input to standard output; a direction that is not there', async () => {
  const project = await install('node');
  const child = (...languages) => spawn(process.execPath, ['translate.mjs', ...languages], { cwd: project });
  const translate = child('en', 'de');
  translate.stdin.end(SENTENCE);
  assert.equal(await text(translate.stdout), TRANSLATION);
  const wrong = child('en', 'ja');
  wrong.stdin.end('Hello.');
  const [message] = await Promise.all([text(wrong.stderr), new Promise((resolve) => wrong.on('close', resolve))]);
  assert.match(message, /no model to translate from en to ja/);
  assert.equal(wrong.exitCode, 1);
});

for (const [name, ...command] of [
  ['Deno', 'deno', 'run', '--allow-read', '--allow-env', '--allow-sys'],
  ['Bun', 'bun'],
]) {
  test(`${name}: the same example as in Node`, async () => {
    const project = join(made.folder, 'examples', 'node');
    const [program, ...given] = [...command, 'translate.mjs', 'en', 'de'];
    const child = spawn(join(root, 'build/deps/runtimes/node_modules/.bin', program), given, { cwd: project });
    child.stdin.end(SENTENCE);
    const [out, err, status] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise((end) => child.on('close', end)),
    ]);
    assert.deepEqual([out, err, status], [TRANSLATION, '', 0]);
  });
}

test('every example is run by a test above', async () => {
  // The extension has a file of its own.
  const elsewhere = ['extension'];
  const examples = (await readdir(join(root, 'web/examples'), { withFileTypes: true })).filter((entry) => entry.isDirectory());
  assert.deepEqual(
    examples
      .map(({ name }) => name)
      .filter((name) => !elsewhere.includes(name))
      .sort(),
    ['firefox-models', 'node', 'page', 'plain', 'service-worker', 'vite'],
  );
});
