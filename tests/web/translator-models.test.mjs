/** Where the models of a translator come from: registered, by URL, in two steps through English. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { inEachBrowser } from './support/browsers.mjs';
import { layModel } from './support/own-model.mjs';
import { pageTests } from './support/page-tests.mjs';

const MANIFEST = '/weights/manifest.json';
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** By Zstandard, with the size told or not. */
const zstd =
  (...options) =>
  (input) =>
    spawnSync('zstd', ['-q', '-c', ...options], { input }).stdout;

// Marian's .npz of tests/data/tiny-ssru, as tests/conversion writes it.
const WRITE_NPZ = `import sys; sys.path[:0] = ['tests/conversion']
import numpy, marian_npz_test as t
numpy.savez(sys.argv[1], **t.marians(*t.read_folder('tests/data/tiny-ssru')))`;

/** The files of a model with two vocabularies that scripts/convert has made of Marian's. */
async function convertedModel() {
  const folder = await mkdtemp(join(tmpdir(), 'dragoman-converted-'));
  try {
    const [npz, out] = ['model.npz', 'out'].map((name) => join(folder, name));
    const python = (...args) => assert.equal(spawnSync('/usr/bin/python3', args, { cwd: ROOT, stdio: 'inherit' }).status, 0);
    const vocabularies = ['source', 'target'].map((side) => `tests/data/tiny-ssru/${side}.spm`);
    python('-c', WRITE_NPZ, npz);
    python('scripts/convert', 'marian', npz, out, '--from', 'en', '--to', 'ltg', '--vocabulary', ...vocabularies);
    const names = ['config.json', 'model.safetensors', 'source.spm', 'target.spm'];
    return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await readFile(join(out, name))])));
  } finally {
    await rm(folder, { recursive: true });
  }
}

inEachBrowser((environment) => {
  const { pageTest } = pageTests(environment);

  test('a direction that is missing goes through English, as one translator', async () => {
    // The same two models under other names: xa to en, and en to xb, so that xa to xb has to be built of both.
    const manifest = JSON.parse(await (await fetch(new URL(MANIFEST, environment.site.url))).text());
    const find = (source) => manifest.models.find((model) => model.sourceLanguage === source);
    const pivot = {
      version: 1,
      models: [
        { ...find('de'), sourceLanguage: 'xa' },
        { ...find('en'), targetLanguage: 'xb' },
      ],
    };
    for (const file of pivot.models.flatMap((model) => model.files)) file.path = `/weights/${file.path}`;
    const result = await environment.page.evaluate(async (models) => {
      const languages = { sourceLanguage: 'xa', targetLanguage: 'xb', models };
      const before = await Translator.availability(languages);
      const events = [];
      const translator = await Translator.create({
        ...languages,
        monitor: (m) => m.addEventListener('downloadprogress', (e) => events.push(e.loaded)),
      });
      const text = 'Ich lese gerne Bücher.\n\nWo ist der Bahnhof? Guten Tag!\r\n';
      const whole = await translator.translate(text);
      const pieces = await read(translator.translateStreaming(text));
      let others;
      await translator.translate('Wo ist der Bahnhof?', { alternatives: 2, onAlternatives: (found) => (others = found) });
      let alignment;
      await translator.translate(text, { alignment: true, onAlignment: (found) => (alignment = found) });
      const there = await Translator.create({ sourceLanguage: 'de', targetLanguage: 'en' });
      const back = await Translator.create(EN_DE);
      const byHand = await back.translate(await there.translate('Wo ist der Bahnhof? Guten Tag!'));
      const controller = new AbortController();
      const aborted = outcome(translator.translate(LONG, { signal: controller.signal }));
      controller.abort();
      const same = await outcome(Translator.create({ sourceLanguage: 'xa', targetLanguage: 'xa', models }));
      const pairs = alignment.words.links.map(([s, t]) =>
        [text.slice(...alignment.words.source[s]), whole.slice(...alignment.words.target[t])].join('-'),
      );
      return { before, events, whole, pieces, others, pairs, byHand, aborted: await aborted, same };
    }, pivot);
    assert.ok(['downloadable', 'available'].includes(result.before));
    assert.deepEqual([result.events[0], result.events.at(-1)], [0, 1]);
    assert.equal(result.pieces.join(''), result.whole);
    assert.equal(new Set(result.others).size, 2);
    for (const pair of ['Bücher-Bücher', 'Bahnhof-Bahnhof', '!-!'])
      assert.ok(result.pairs.includes(pair), `${pair} in ${result.pairs}`);
    assert.match(result.whole, /^.+\n\n.+\r\n$/);
    assert.equal(result.whole.split('\n')[2].trim(), result.byHand);
    assert.equal(result.aborted.error, 'AbortError');
    assert.equal(result.same.error, 'NotSupportedError');
  });

  pageTest(
    'registerModel makes own models known',
    async () => {
      const manifest = await (await fetch('/weights/manifest.json')).json();
      const [model] = manifest.models;
      const own = {
        ...model,
        targetLanguage: 'nds',
        files: model.files.map((file) => ({ ...file, path: `/weights/${file.path}` })),
      };
      Dragoman.registerModel({ version: 1, models: [own] });
      const translator = await Translator.create({ sourceLanguage: model.sourceLanguage, targetLanguage: 'nds' });
      const bad = await outcome(new Promise(() => Dragoman.registerModel({ version: 2 })));
      return { text: await translator.translate('No.'), bad };
    },
    ({ text, bad }) => {
      assert.equal(text, 'Nein.');
      assert.equal(bad.error, 'TypeError');
    },
    { fresh: true },
  );

  pageTest(
    'registerModel demands what the schema of manifests says',
    async () => {
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
      const results = await Promise.all(
        wrong.map((manifest) => outcome(new Promise((resolve) => resolve(Dragoman.registerModel(manifest))))),
      );
      return [...results, await outcome(new Promise((resolve) => resolve(Dragoman.registerModel(whole))))];
    },
    (results) => {
      assert.equal(results.pop().error, undefined, 'the manifest as it is');
      assert.deepEqual(
        results.map(({ error }) => error),
        Array(13).fill('TypeError'),
      );
    },
    {
      fresh: true,
      setup: async () =>
        writeFile(
          `${environment.site.folder}/schema.json`,
          await readFile(new URL('../../web/manifest.schema.json', import.meta.url)),
        ),
    },
  );

  test('a converted model with a vocabulary for each side', async () => {
    const files = await layModel(environment.site, 'converted', await convertedModel());
    const { cases } = JSON.parse(await readFile(join(ROOT, 'tests/data/tiny-ssru/golden.json')));
    const { source, greedy } = cases[2];
    const result = await environment.page.evaluate(
      async ({ files, source }) => {
        const languages = { sourceLanguage: 'en', targetLanguage: 'ltg' };
        Dragoman.registerModel({ version: 1, models: [{ ...languages, files }] });
        const translator = await Translator.create(languages);
        const text = await translator.translate(source, { beam: 1 });
        translator.destroy();
        const oneSided = files.filter(({ name }) => name !== 'target.spm');
        const refused = new Promise(() => Dragoman.registerModel({ version: 1, models: [{ ...languages, files: oneSided }] }));
        return { text, refused: await outcome(refused) };
      },
      { files, source },
    );
    assert.equal(result.text, greedy);
    assert.equal(result.refused.error, 'TypeError');
  });

  test("Firefox's models, as Remote Settings lists them, packed or not, with and without a shortlist", async () => {
    const folder = `${environment.site.folder}/firefox`;
    await mkdir(folder);
    const read = (name) => readFile(new URL(`../data/${name}`, import.meta.url));
    const record = async (toLang, version, fileType, source, pack = (bytes) => bytes) => {
      const plain = await read(source);
      const bytes = pack(plain);
      const location = `firefox/${toLang}-${version}-${fileType}`;
      await writeFile(`${environment.site.folder}/${location}`, bytes);
      const hash = createHash('sha256').update(bytes).digest('hex');
      const attachment = { location, hash, size: bytes.length, filename: fileType };
      if (toLang !== 'sv') return { name: fileType, fromLang: 'en', toLang, fileType, version, attachment };
      // As in the newer collection.
      const newer = { sourceLanguage: 'en', targetLanguage: toLang, architecture: 'tiny', decompressedSize: plain.length };
      return { name: fileType, ...newer, fileType, version, attachment };
    };
    const model = 'tiny-marian/model.ende.intgemm.alphas.bin';
    const records = await Promise.all([
      record('nds', '1.9', 'model', 'tiny-int8/model.safetensors'), // an old version, which would not load
      record('nds', '1.9', 'vocab', 'tiny-int8/vocab.spm'),
      record('nds', '1.10', 'model', model, gzipSync),
      record('nds', '1.10', 'srcvocab', 'tiny-ssru/source.spm', gzipSync),
      record('nds', '1.10', 'trgvocab', 'tiny-ssru/target.spm'),
      record('nds', '1.10', 'qualityModel', 'tiny-ssru/target.spm'),
      record('nds', '2.0a1', 'model', model), // has no vocabulary yet
      record('fy', '1.0', 'model', model),
      record('fy', '1.0', 'lex', 'tiny-marian/lex.ende.s2t.bin', gzipSync),
      record('fy', '1.0', 'srcvocab', 'tiny-ssru/source.spm'),
      record('fy', '1.0', 'trgvocab', 'tiny-ssru/target.spm'),
      record('sv', '3.0', 'model', model, zstd('-19')),
      record('sv', '3.0', 'srcvocab', 'tiny-ssru/source.spm', zstd('--no-check')),
      record('sv', '3.0', 'trgvocab', 'tiny-ssru/target.spm', zstd('--stream-size=9260')),
    ]);
    records.push({ ...records.at(-3), architecture: 'base' }); // another architecture, of which there is no more
    const { cases } = JSON.parse(await read('tiny-marian/golden.json'));
    const { source, greedy } = cases[2];
    const result = await environment.page.evaluate(
      async ({ records, source }) => {
        const manifest = Dragoman.remoteSettingsManifest(records, new URL('/', location.href));
        Dragoman.registerModel(manifest);
        const texts = [];
        for (const targetLanguage of ['nds', 'fy', 'sv']) {
          const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage });
          texts.push(await translator.translate(source, { beam: 1 }));
          translator.destroy();
        }
        const unknown = structuredClone(manifest);
        unknown.models[0].format = 'gguf';
        const refused = await outcome(new Promise(() => Dragoman.registerModel(unknown)));
        const larger = structuredClone(manifest);
        larger.models[2].files[0].unpackedBytes--;
        const damaged = await outcome(Translator.create({ sourceLanguage: 'en', targetLanguage: 'sv', models: larger }));
        return { texts, refused, damaged, directions: manifest.models.map((model) => model.targetLanguage) };
      },
      { records, source },
    );
    assert.deepEqual(result.directions, ['nds', 'fy', 'sv']);
    assert.equal(result.texts[0], greedy);
    assert.equal(result.texts[2], greedy);
    assert.equal(result.damaged.error, 'OperationError');
    assert.notEqual(result.texts[1], ''); // on a shortlist of random pieces
    assert.notEqual(result.texts[1], greedy);
    assert.equal(result.refused.error, 'TypeError');
  });

  pageTest(
    'models may come from a manifest elsewhere, given by URL, and then from nowhere else',
    async () => {
      const models = '/weights/manifest.json';
      const translator = await create({ models });
      const only = {
        version: 1,
        models: (await (await fetch(models)).json()).models.filter((model) => model.sourceLanguage === 'de'),
      };
      return [
        await translator.translate('No.'),
        await Translator.availability({ ...EN_DE, models: only }),
        await outcome(create({ models: { version: 1 } })),
      ];
    },
    ([text, availability, malformed]) => {
      assert.deepEqual([text, availability, malformed.error], ['Nein.', 'unavailable', 'TypeError']);
    },
  );

  pageTest(
    'a list of models that cannot be had is a NetworkError, and a later call tries again',
    async () => {
      const results = [await outcome(create({ models: '/nowhere.json' })), await outcome(create({ models: '/blank.html' }))];
      results.push(await outcome(create()));
      return results;
    },
    ([missing, html, retry]) => {
      assert.deepEqual([missing.error, html.error, retry.value], ['NetworkError', 'NetworkError', 'object']);
    },
  );
});
