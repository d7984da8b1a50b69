/** What is in the npm package: its files, their sizes, its bill of materials, its types and names; the same each time. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { buildPackage } from '../../scripts/site/package.mjs';
import { misnamed } from './support/names.mjs';
import { packed, root, run } from './support/packed.mjs';

const made = packed();

test('the tarball holds what is needed and nothing else', async (t) => {
  const paths = made.listing.files.map(({ path }) => path);
  for (const wanted of [
    'package.json',
    'README.md',
    'dist/dragoman.js',
    'dist/element.js',
    'dist/files.js',
    'dist/same-thread.js',
    'dist/node.js',
    'dist/node-cli.js',
    'dist/LICENSES.txt',
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
  // A page loads one of the engine's two builds: the larger one counts. (A service worker has the same code once more.)
  const scripts = paths.filter(
    (path) => /\.m?js$/.test(path) && !/node|\/(worker|same-thread)\.js$|dragoman-core\.mjs$/.test(path),
  );
  let [total, detector, files] = [0, 0, 0];
  const library = await translatorModules(join(made.folder, 'package/dist'));
  for (const path of scripts) {
    const code = await readFile(join(made.folder, 'package', path));
    const size = brotliCompressSync(code).length;
    // The tables of the language detector are fetched only by those who use it; what reads files, only by those who have some.
    if (code.length >= 500_000) detector += size;
    else if (library.has(path.replace('dist/', ''))) total += size;
    else files += size;
  }
  t.diagnostic(
    `JavaScript: ${total} bytes brotli; the detector's tables ${detector}; files ${files}; tarball ${made.listing.size} bytes`,
  );
  assert.ok(total <= 45_000, `${total} bytes`);
  assert.ok(files > 0 && files <= 60_000, `${files} bytes`);
  assert.ok(detector > 0 && detector < 400_000, `${detector} bytes`);
});

/** What a page loads that translates, by the names of the files. */
async function translatorModules(dist) {
  const found = new Set();
  const add = async (name) => {
    if (found.has(name) || !/^[\w-]+\.js$/.test(name)) return;
    found.add(name);
    const code = await readFile(join(dist, name), 'utf8');
    // Not what comes by import(), only where it is needed: what unpacks files of Zstandard.
    for (const [, imported] of code.matchAll(/(?<!import\()["']\.\/([\w-]+\.js)["']/g)) await add(imported);
  };
  for (const name of ['dragoman.js', 'element.js', 'worker.js', 'worker-threads.js']) await add(name);
  // Emscripten's, beside the module.
  found.add('core/dragoman-core-threads.mjs').add('core/dragoman-core-threads.worker.js');
  return found;
}

test('the same package comes out to the byte, in another folder and at another time', async (t) => {
  const another = await mkdtemp(join(tmpdir(), 'dragoman-another-'));
  t.after(() => rm(another, { recursive: true }));
  // (The wasm modules, too: scripts/reproduce.)
  const again = await buildPackage(join(another, 'deeper/package'));
  const { stdout } = await run('npm', ['pack', '--json', '--dry-run'], { cwd: again });
  const [{ integrity }] = Object.values(JSON.parse(stdout));
  assert.equal(integrity, made.listing.integrity);
});

test('the bill of materials names what is in the package, by version, licence and hash', async () => {
  const read = async (path) => JSON.parse(await readFile(path, 'utf8'));
  const bill = await read(join(made.folder, 'package/dist/sbom.cdx.json'));
  assert.deepEqual([bill.bomFormat, bill.specVersion], ['CycloneDX', '1.5']);
  const { version } = await read(join(made.folder, 'package/package.json'));
  assert.equal(bill.metadata.component.purl, `pkg:npm/dragoman@${version}`);
  const libraries = bill.components.filter(({ type }) => type === 'library');
  for (const { name, version, licenses } of libraries) {
    assert.match(version, /^\d/, name);
    assert.ok(licenses[0].expression, name);
  }
  const names = libraries.filter(({ scope }) => scope !== 'excluded').map(({ name }) => name);
  const own = names.filter((name) => /^(eld|fflate|fzstd|saxes|mdast-util-from-markdown)$/.test(name));
  assert.deepEqual(own, ['eld', 'fflate', 'fzstd', 'mdast-util-from-markdown', 'saxes']);
  const licences = await readFile(join(made.folder, 'package/dist/LICENSES.txt'), 'utf8');
  for (const name of names.slice(1, names.indexOf('sentencepiece'))) assert.ok(licences.includes(`${name}\n\n`), name);
  const expected = ['sentencepiece', 'libeigen3-dev', 'nlohmann-json3-dev', 'libxxhash-dev', 'emscripten'];
  assert.deepEqual(names.slice(names.indexOf('sentencepiece')), expected);
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
      const bytes = await readFile(join(made.folder, 'package/dist/weights', model.name, name));
      assert.equal(createHash('sha256').update(bytes).digest('hex'), hashes[0].content);
    }
  }
});

test('Node: what is exported has its own name, minified as it is', async () => {
  const exports = await import(pathToFileURL(join(made.installed, 'node_modules/dragoman/dist/node.js')));
  assert.deepEqual(Object.keys(exports).sort(), ['Dragoman', 'LanguageDetector', 'Translator', 'translateElement']);
  assert.deepEqual(misnamed(exports), []);
});

test('the types serve a strict TypeScript project', async () => {
  const project = made.installed;
  const source = `
    import { Dragoman, LanguageDetector, Translator, translateElement } from 'dragoman';
    import { Translator as SameThread } from 'dragoman/same-thread';
    const translator: Translator = await (globalThis.Worker ? Translator : SameThread).create({
      sourceLanguage: 'en', targetLanguage: 'de', signal: AbortSignal.timeout(1000),
      monitor: (monitor) => monitor.addEventListener('downloadprogress', (event) => console.log(event.loaded / event.total)),
    });
    const text: string = await translator.translate('No.', { onStatistics: ({ tokens }) => console.log(tokens + 1), alternatives: 1, onAlternatives: (others) => console.log(others[0].length) });
    await translator.translate('No.', { prefix: 'N', scores: true, onScores: ({ words: [[start, end, score]] }) => console.log(Math.exp(score) + end - start) });
    await translator.translate('No.', { glossary: new Map([['no', 'nein']]), format: 'html' });
    await translator.translate('No.', { glossary: [['no', 'nein']] });
    await translator.translate('No.', { sampling: { temperature: 0.5, topK: 3, topP: 0.9, seed: 1 } });
    const [{ text: word, probability }]: { text: string, probability: number }[] = await translator.nextWords('No.', '', { count: 1, signal: AbortSignal.timeout(1000) });
    const scored: number = (await translator.score('No.', 'Nein.')).sentences[0][2];
    const { sentences: [{ target }], masks } = await translator.inspect(['No.', ['Yes.', 'Ja.']]);
    const states: Float32Array = target.hidden.values;
    const hidden: boolean = masks.causal[0][1];
    const stream: ReadableStream<string> = translator.translateStreaming(text);
    const usage: number = (await translator.measureInputUsage(text)) / translator.inputQuota;
    const availability: 'unavailable' | 'downloadable' | 'downloading' | 'available' = await Translator.availability({ sourceLanguage: 'en', targetLanguage: 'de' });
    const [{ detectedLanguage, confidence }] = await (await LanguageDetector.create()).detect(text);
    const bytes: number[] = (await Dragoman.models.list()).map((model) => model.bytes);
    const live = await translateElement(document.body, { sourceLanguage: 'en', targetLanguage: 'de' });
    await live.finished;
    live.undo();
    // @ts-expect-error: a glossary is of pairs
    await translator.translate('No.', { glossary: ['no'] });
    // @ts-expect-error: the beginning is required
    await translator.nextWords('No.');
    // @ts-expect-error: the core's own options are not the page's
    await translator.translate('No.', { nextWords: 3 });
    // @ts-expect-error: the target language is required
    await Translator.create({ sourceLanguage: 'en' });
    export { word, probability, scored, states, hidden, stream, usage, availability, detectedLanguage, confidence, bytes };
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
