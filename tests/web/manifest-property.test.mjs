/** Whatever is given for a manifest: models that can be relied on, or a TypeError; and nothing of it sticks to anything else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Catalogue } from '../../web/models/catalogue.js';
import { parseManifest } from '../../web/models/manifest.js';
import { remoteSettingsManifest } from '../../web/models/remote-settings.js';

// The same on every run; DRAGOMAN_SEED=n for others.
fc.configureGlobal({ seed: Number(process.env.DRAGOMAN_SEED ?? 1) });

const BASE = 'https://site.test/models/manifest.json';
const NAMES = ['config.json', 'model.safetensors', 'vocab.spm', 'model.bin', 'source.spm', 'target.spm', 'lex.bin'];
const ODD = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  '../../etc/passwd',
  'javascript:1',
  '//elsewhere.test/x',
];

/** Mostly right, now and then anything. @param {fc.Arbitrary<any>} right */
const mostly = (right) =>
  fc.oneof(
    { weight: 12, arbitrary: right },
    { weight: 1, arbitrary: fc.anything() },
    { weight: 1, arbitrary: fc.constantFrom(...ODD) },
  );

const language = fc.constantFrom('en', 'de', 'fr', 'de-AT', 'zh-Hans', 'x', 'en_US', 'toString', 'EN');
const sha256 = fc
  .array(fc.constantFrom(...'0123456789abcdef'), { minLength: 64, maxLength: 64 })
  .map((digits) => digits.join(''));
const file = fc.record(
  {
    name: mostly(fc.constantFrom(...NAMES)),
    path: mostly(fc.webPath()),
    bytes: mostly(fc.integer({ min: -1, max: 1e9 })),
    sha256: mostly(sha256),
    version: fc.constantFrom('1.0', '2.1', '1.0a1'),
  },
  { requiredKeys: ['name', 'path', 'bytes'] },
);
const entry = fc.record(
  {
    sourceLanguage: mostly(language),
    targetLanguage: mostly(language),
    format: mostly(fc.constantFrom('dragoman', 'bergamot')),
    files: mostly(fc.array(mostly(file), { maxLength: 8 })),
  },
  { requiredKeys: ['sourceLanguage', 'targetLanguage', 'files'] },
);
/** Also whole models, which chance alone would hardly ever make. */
const whole = fc
  .constantFrom(NAMES.slice(0, 3), ['model.bin', 'vocab.spm'], ['model.bin', 'source.spm', 'target.spm', 'lex.bin'])
  .chain((names) =>
    fc.record({
      sourceLanguage: fc.constantFrom('en', 'de', 'fr'),
      targetLanguage: fc.constantFrom('en', 'de', 'pt-BR'),
      format: fc.constant(names[0] === 'config.json' ? 'dragoman' : 'bergamot'),
      files: fc.tuple(
        ...names.map((name) =>
          fc.record({ name: fc.constant(name), path: fc.webPath(), bytes: fc.integer({ min: 1, max: 1e9 }), sha256 }),
        ),
      ),
    }),
  );
const manifest = mostly(
  fc.record({ version: mostly(fc.constant(1)), models: mostly(fc.array(fc.oneof(whole, entry), { maxLength: 5 })) }),
);
/** As JSON gives it: a key `__proto__` is one like any other. */
const parsed = manifest.map((value) => {
  const text = JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner)) ?? 'null';
  return JSON.parse(text.replaceAll('"version"', '"__proto__":{"polluted":true,"format":"bergamot"},"version"'));
});

/** @param {() => any} work @returns {any} its result, or undefined if that is a TypeError */
function orTypeError(work) {
  try {
    return work();
  } catch (error) {
    assert.ok(error instanceof TypeError, `${error}`);
    assert.ok(error.message.length > 10);
    return undefined;
  }
}

function assertUnpolluted() {
  assert.equal(/** @type {any} */ ({}).polluted, undefined);
  assert.deepEqual(
    Reflect.ownKeys(Object.prototype).filter((key) => /polluted|format/.test(String(key))),
    [],
  );
}

test('a manifest is models that can be relied on, or a TypeError', async () => {
  let good = 0;
  await fc.assert(
    fc.asyncProperty(parsed, language, language, async (json, from, to) => {
      const models = orTypeError(() => parseManifest(json, BASE));
      assertUnpolluted();
      if (!models) return;
      good += models.length > 0 ? 1 : 0;
      for (const { sourceLanguage, targetLanguage, format, files, bytes, id } of models) {
        assert.deepEqual(Intl.getCanonicalLocales([sourceLanguage, targetLanguage]), [
          ...new Set([sourceLanguage, targetLanguage]),
        ]);
        assert.ok(['dragoman', 'bergamot'].includes(format));
        assert.ok(files.every(({ name }) => NAMES.includes(name)));
        assert.equal(new Set(files.map(({ name }) => name)).size, files.length);
        assert.ok(files.every(({ url }) => new URL(url).href === url));
        assert.ok(files.every(({ sha256 }) => /^[0-9a-f]{64}$/.test(sha256) && typeof sha256 === 'string'));
        assert.equal(
          bytes,
          files.reduce((sum, { bytes }) => sum + bytes, 0),
        );
        assert.match(id, /^[0-9a-f-]+$/);
      }
      const catalogue = new Catalogue(BASE);
      catalogue.register(json);
      const route = await catalogue.route(from, to, json);
      assert.ok(route.length <= 2 && route.every((model) => models.some(({ id }) => id === model.id)));
      if (route.length === 2) assert.equal(route[0].targetLanguage, 'en');
    }),
    { numRuns: 1500 },
  );
  assert.ok(good > 100, `${good} had models`);
});

const recordOf = (/** @type {string[]} */ ...types) =>
  fc.record({
    name: fc.string(),
    fromLang: mostly(language),
    toLang: mostly(language),
    fileType: fc.constantFrom(...types),
    version: mostly(fc.constantFrom('1.0', '2.1', '1.0a1', '10')),
    attachment: fc.record({ location: fc.webPath(), hash: mostly(sha256), size: mostly(fc.integer({ min: 1, max: 1e9 })) }),
  });
const kinds = ['model', 'lex', 'vocab', 'srcvocab', 'trgvocab', 'qualityModel', '__proto__', 'constructor'];
const pair = fc.tuple(recordOf('model'), recordOf('vocab')).map(([model, vocabulary]) => {
  const { fromLang, toLang, version } = model;
  return [model, { ...vocabulary, fromLang, toLang, version }];
});
const records = fc
  .tuple(fc.array(recordOf(...kinds), { maxLength: 8 }), fc.array(pair, { maxLength: 2 }))
  .map((all) => all.flat(2));

test("a list of Remote Settings' records is a manifest, of which parseManifest thinks the same", () => {
  let good = 0;
  fc.assert(
    fc.property(records, (records) => {
      const manifest = orTypeError(() => remoteSettingsManifest(records, BASE));
      assertUnpolluted();
      if (!manifest) return;
      for (const { files } of manifest.models) assert.ok(files.every(({ name }) => NAMES.includes(name)));
      good += orTypeError(() => parseManifest(manifest, BASE))?.length > 0 ? 1 : 0;
    }),
    { numRuns: 1000 },
  );
  assert.ok(good > 20, `${good} had models`);
});
