/**
 * The npm package as its users get it: packed, installed from the tarball into the examples, built where they are built, and
 * run in browsers and in Node; and from another origin, as from a CDN.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompressSync } from 'node:zlib';
import { buildPackage } from '../../scripts/site/package.mjs';
import { HEADERS, listen, requestListener, urlOf } from '../../scripts/site/serve.mjs';
import { inEachBrowser } from './support/browsers.mjs';
import { expected } from './support/expected.mjs';
import { misnamed } from './support/names.mjs';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const SENTENCE = 'I like to read books in the evening.';
const [TRANSLATION] = await expected([SENTENCE]);
let folder, packed;
const servers = [];

before(async () => {
  await mkdir(join(root, 'build'), { recursive: true });
  // Below the root, so that the Vite example finds the root's vite.
  folder = await mkdtemp(join(root, 'build/package-test-'));
  const source = await buildPackage(join(folder, 'package'));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: source });
  const listing = JSON.parse(stdout);
  // npm 11 lists packages by name, npm 10 in an array.
  packed = Array.isArray(listing) ? listing[0] : Object.values(listing)[0];
  packed.path = join(folder, packed.filename);
  const installed = join(folder, 'installed');
  await mkdir(installed);
  await writeFile(
    join(installed, 'package.json'),
    JSON.stringify({ type: 'module', dependencies: { dragoman: `file:${packed.path}` } }),
  );
  // Without a network: the package has no dependencies.
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--no-package-lock'], { cwd: installed });
});

after(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** A copy of an example, in which the tarball is installed. */
async function install(name) {
  const project = join(folder, 'examples', name);
  await cp(join(root, 'web/examples', name), project, { recursive: true });
  const { dependencies } = JSON.parse(await readFile(join(project, 'package.json'), 'utf8'));
  assert.deepEqual(Object.keys(dependencies), ['dragoman']);
  // Installed once for all of them: unpacking the models takes its time.
  await symlink(join(folder, 'installed/node_modules'), join(project, 'node_modules'));
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
  cdn: once(async () => {
    const cdn = await serve(join(folder, 'package/dist'), {
      'Access-Control-Allow-Origin': '*',
      'Cross-Origin-Resource-Policy': 'cross-origin',
    });
    const site = join(folder, 'site');
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

function once(make) {
  let made;
  return () => (made ??= make());
}

test('the tarball holds what is needed and nothing else', async (t) => {
  const paths = packed.files.map(({ path }) => path);
  for (const wanted of [
    'package.json',
    'README.md',
    'dist/dragoman.js',
    'dist/element.js',
    'dist/node.js',
    'dist/worker.js',
    'dist/core/dragoman-core.wasm',
    'dist/worker-threads.js',
    'dist/core/dragoman-core-threads.wasm',
    'dist/core/dragoman-core-threads.worker.js',
    'dist/weights/en-de/model.safetensors',
    'dist/weights/de-en/vocab.spm',
    'dist/types/dragoman.d.ts',
    'dist/ELD-LICENSE',
    'dist/manifest.schema.json',
    'dist/sbom.cdx.json',
  ]) {
    assert.ok(paths.includes(wanted), wanted);
  }
  assert.deepEqual(
    paths.filter((path) => !path.startsWith('dist/') && !['package.json', 'README.md'].includes(path)),
    [],
  );
  // A page loads one of the engine's two builds: the larger one counts.
  const scripts = paths.filter((path) => /\.m?js$/.test(path) && !/node|\/worker\.js$|dragoman-core\.mjs$/.test(path));
  let [total, detector] = [0, 0];
  for (const path of scripts) {
    const code = await readFile(join(folder, 'package', path));
    const size = brotliCompressSync(code).length;
    // The tables of the language detector are fetched only by those who use it.
    if (code.length < 500_000) total += size;
    else detector += size;
  }
  t.diagnostic(`JavaScript: ${total} bytes brotli; the detector's tables ${detector}; tarball ${packed.size} bytes`);
  assert.ok(total <= 40_000, `${total} bytes`);
  assert.ok(detector > 0 && detector < 400_000, `${detector} bytes`);
});

test('the bill of materials names what is in the package, by version, licence and hash', async () => {
  const read = async (path) => JSON.parse(await readFile(path, 'utf8'));
  const bill = await read(join(folder, 'package/dist/sbom.cdx.json'));
  assert.deepEqual([bill.bomFormat, bill.specVersion], ['CycloneDX', '1.5']);
  const { version } = await read(join(folder, 'package/package.json'));
  assert.equal(bill.metadata.component.purl, `pkg:npm/dragoman@${version}`);
  const libraries = bill.components.filter(({ type }) => type === 'library');
  for (const { name, version, licenses } of libraries) {
    assert.match(version, /^\d/, name);
    assert.ok(licenses[0].expression, name);
  }
  const names = libraries.filter(({ scope }) => scope !== 'excluded').map(({ name }) => name);
  const expected = ['eld', 'sentencepiece', 'libeigen3-dev', 'nlohmann-json3-dev', 'libxxhash-dev', 'emscripten'];
  assert.deepEqual(names, expected);
  const { packages } = await read(join(root, 'package-lock.json'));
  const eld = libraries.find(({ name }) => name === 'eld');
  assert.equal(eld.version, packages['node_modules/eld'].version);
  assert.equal(`sha512-${Buffer.from(eld.hashes[0].content, 'hex').toString('base64')}`, packages['node_modules/eld'].integrity);
  // Every library that our code includes from Debian is listed, but for SIMDe and CLI11, which are native only.
  const cmake = await readFile(join(root, 'CMakeLists.txt'), 'utf8');
  assert.match(cmake, /foreach\(header nlohmann simde xxhash\.h catch2 CLI\)/);
  // The models by the hashes of the files that are there.
  for (const model of bill.components.filter(({ type }) => type === 'machine-learning-model')) {
    for (const { name, hashes } of model.components) {
      const bytes = await readFile(join(folder, 'package/dist/weights', model.name, name));
      assert.equal(createHash('sha256').update(bytes).digest('hex'), hashes[0].content);
    }
  }
});

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

  test('from another origin, by one script element, as from a CDN', async () => {
    const { page, problems, close } = await open(await sites.cdn());
    await page.waitForFunction((wanted) => document.querySelector('#output').textContent === wanted, TRANSLATION);
    assert.deepEqual(problems, []);
    await close();
  });
});

test('Node: what is exported has its own name, minified as it is', async () => {
  const exports = await import(pathToFileURL(join(folder, 'installed/node_modules/dragoman/dist/node.js')));
  assert.deepEqual(Object.keys(exports).sort(), ['Dragoman', 'LanguageDetector', 'Translator', 'translateElement']);
  assert.deepEqual(misnamed(exports), []);
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

test('the types serve a strict TypeScript project', async () => {
  const project = join(folder, 'installed');
  const source = `
    import { Dragoman, LanguageDetector, Translator, translateElement } from 'dragoman';
    const translator: Translator = await Translator.create({
      sourceLanguage: 'en', targetLanguage: 'de', signal: AbortSignal.timeout(1000),
      monitor: (monitor) => monitor.addEventListener('downloadprogress', (event) => console.log(event.loaded / event.total)),
    });
    const text: string = await translator.translate('No.', { onStatistics: ({ tokens }) => console.log(tokens + 1), alternatives: 1, onAlternatives: (others) => console.log(others[0].length) });
    const stream: ReadableStream<string> = translator.translateStreaming(text);
    const usage: number = (await translator.measureInputUsage(text)) / translator.inputQuota;
    const availability: 'unavailable' | 'downloadable' | 'downloading' | 'available' = await Translator.availability({ sourceLanguage: 'en', targetLanguage: 'de' });
    const [{ detectedLanguage, confidence }] = await (await LanguageDetector.create()).detect(text);
    const bytes: number[] = (await Dragoman.models.list()).map((model) => model.bytes);
    const live = await translateElement(document.body, { sourceLanguage: 'en', targetLanguage: 'de' });
    await live.finished;
    live.undo();
    // @ts-expect-error: the target language is required
    await Translator.create({ sourceLanguage: 'en' });
    export { stream, usage, availability, detectedLanguage, confidence, bytes };
  `;
  await writeFile(join(project, 'use.ts'), source);
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const options = [
    '--strict',
    '--noEmit',
    '--target',
    'esnext',
    '--module',
    'nodenext',
    '--lib',
    'esnext,dom,dom.iterable',
    '--types',
    '',
    'use.ts',
  ];
  await run(process.execPath, [tsc, ...options], { cwd: project }).catch(({ stdout }) => assert.fail(stdout));
});

test('every example is run by a test above', async () => {
  const examples = (await readdir(join(root, 'web/examples'), { withFileTypes: true })).filter((entry) => entry.isDirectory());
  assert.deepEqual(examples.map(({ name }) => name).sort(), ['node', 'page', 'plain', 'vite']);
});
