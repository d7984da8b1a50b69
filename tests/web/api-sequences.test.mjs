/**
 * Sequences of API calls, made up by fast-check, against a small model of what the specification has each of them do: in Node, by the
 * package's own entry, with a tiny model. What fails is told as the shortest sequence that does.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { prose, tags } from '../markup/html-parts.mjs';
import { makePackage } from './support/made.mjs';

// The same on every run; DRAGOMAN_SEED=n for others, DRAGOMAN_RUNS=n for more.
const SEED = Number(process.env.DRAGOMAN_SEED ?? 1);
const RUNS = Number(process.env.DRAGOMAN_RUNS ?? 20);
const TINY = fileURLToPath(new URL('../data/tiny-int8/', import.meta.url));
const TEXTS = [
  '',
  ' \n ',
  'A cat.',
  'A cat. A dog!',
  'One line.\n\nAnother one.',
  '🙂 ok',
  '\ud800',
  '<b>bold</b> text',
  'x'.repeat(300),
];
const RIGHT = { sourceLanguage: 'en', targetLanguage: 'de' };
const WRONG_LANGUAGES = [
  [{}, TypeError],
  [{ sourceLanguage: 'en' }, TypeError],
  [{ sourceLanguage: 'en', targetLanguage: 'not a tag' }, RangeError],
  [{ sourceLanguage: 'en', targetLanguage: '' }, RangeError],
  [{ sourceLanguage: 'en', targetLanguage: 'sw' }, 'NotSupportedError'],
  [{ sourceLanguage: 'de', targetLanguage: 'de' }, 'NotSupportedError'],
];
const WRONG_OPTIONS = [{ beam: 0 }, { beam: 1.5 }, { beam: 'many' }, { alternatives: -1 }, { format: 'rtf' }];

let folder, Translator, models;
/** Of each text and way, once and for all. @type {Map<string, string>} */
const translations = new Map();

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dragoman-sequences-'));
  ({ Translator } = await import(pathToFileURL(join(await makePackage(join(folder, 'package')), 'dist/node.js')).href));
  const files = await Promise.all(
    ['config.json', 'model.safetensors', 'vocab.spm'].map(async (name) => {
      const bytes = await readFile(join(TINY, name));
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      return { name, path: pathToFileURL(join(TINY, name)).href, bytes: bytes.length, sha256 };
    }),
  );
  models = { version: 1, models: [{ ...RIGHT, files }] };
  const translator = await Translator.create({ ...RIGHT, models });
  for (const text of TEXTS) {
    for (const format of ['text', 'html']) {
      for (const beam of [1, 4])
        translations.set(`${format} ${beam} ${text}`, await translator.translate(text, { format, beam }));
    }
  }
  translator.destroy();
});

after(() => rm(folder, { recursive: true, force: true }));

const is = (error, expected) =>
  typeof expected === 'string' ? error.name === expected : error === expected || error.constructor === expected;

/** A promise that has to be rejected as expected. */
async function rejected(promise, expected, what) {
  const error = await promise.then(
    (value) => assert.fail(`${what} gave ${JSON.stringify(value)}`),
    (reason) => reason,
  );
  if (error instanceof assert.AssertionError) throw error;
  assert.ok(is(error, expected), `${what} was rejected with ${error}`);
}

async function read(stream) {
  let text = '';
  for await (const piece of stream) text += piece;
  return text;
}

/**
 * What the model knows: which translators live. What happens: translators, and what calls that are under way have to end with.
 * @typedef {{alive: boolean[]}} Model
 * @typedef {{translators: any[], calls: {owner: number, promise: Promise<any>, expect: {value?: string, error?: any}}[]}} Real
 */

class Create {
  constructor(languages, aborted) {
    Object.assign(this, { languages, aborted });
  }
  check() {
    return true;
  }
  async run(model, real) {
    const reason = new Error('given up');
    const signal = this.aborted === 'before' ? AbortSignal.abort(reason) : undefined;
    const controller = new AbortController();
    const creating = Translator.create({ ...RIGHT, models, signal: signal ?? controller.signal });
    if (this.aborted === 'before') return rejected(creating, reason, 'create');
    if (this.aborted === 'meanwhile') {
      controller.abort(reason);
      return rejected(creating, reason, 'create');
    }
    const translator = await creating;
    assert.deepEqual([translator.sourceLanguage, translator.targetLanguage], ['en', 'de']);
    real.translators.push({ translator, controller });
    model.alive.push(true);
  }
  toString = () => `create(aborted ${this.aborted})`;
}

class CreateWrong {
  constructor([languages, error]) {
    Object.assign(this, { languages, error });
  }
  check = () => true;
  async run() {
    await rejected(Translator.create({ ...this.languages, models }), this.error, 'create');
    if (this.error === 'NotSupportedError') {
      assert.equal(await Translator.availability({ ...this.languages, models }), 'unavailable');
    } else {
      await rejected(Translator.availability({ ...this.languages, models }), this.error, 'availability');
    }
  }
  toString = () => `create(${JSON.stringify(this.languages)})`;
}

class Translate {
  constructor(which, text, format, beam, how) {
    Object.assign(this, { which, text, format, beam, how });
  }
  check = (model) => model.alive.length > 0;
  async run(model, real) {
    const owner = this.which % model.alive.length;
    const { translator } = real.translators[owner];
    const reason = new Error('given up');
    const controller = new AbortController();
    if (this.how === 'aborted before') controller.abort(reason);
    const options = { format: this.format, beam: this.beam, signal: controller.signal };
    let promise;
    try {
      promise =
        this.how === 'streaming'
          ? read(translator.translateStreaming(this.text, options))
          : translator.translate(this.text, options);
    } catch (error) {
      // A stream that cannot begin throws.
      promise = Promise.reject(error);
    }
    const expect = { value: translations.get(`${this.format} ${this.beam} ${this.text}`), error: undefined };
    if (!model.alive[owner]) expect.error = real.translators[owner].ended;
    else if (this.how === 'aborted before') expect.error = reason;
    if (this.how === 'aborted meanwhile') {
      controller.abort(reason);
      expect.error ??= reason;
    }
    promise.catch(() => {});
    real.calls.push({ owner, promise, expect });
  }
  toString = () =>
    `translate(${JSON.stringify(this.text.slice(0, 12))}, ${this.format}, beam ${this.beam}, ${this.how}) by ${this.which}`;
}

class TranslateWrong {
  constructor(which, options) {
    Object.assign(this, { which, options });
  }
  check = (model) => model.alive.length > 0;
  async run(model, real) {
    const owner = this.which % model.alive.length;
    const { translator } = real.translators[owner];
    await rejected(translator.translate('A cat.', this.options), real.translators[owner].ended ?? TypeError, 'translate');
  }
  toString = () => `translate(${JSON.stringify(this.options)}) by ${this.which}`;
}

class Measure {
  constructor(which, text) {
    Object.assign(this, { which, text });
  }
  check = (model) => model.alive.length > 0;
  async run(model, real) {
    const owner = this.which % model.alive.length;
    const measuring = real.translators[owner].translator.measureInputUsage(this.text);
    if (model.alive[owner]) assert.equal(await measuring, this.text.length);
    else await rejected(measuring, real.translators[owner].ended, 'measureInputUsage');
  }
  toString = () => `measure by ${this.which}`;
}

class Destroy {
  constructor(which, by) {
    Object.assign(this, { which, by });
  }
  check = (model) => model.alive.length > 0;
  async run(model, real) {
    const owner = this.which % model.alive.length;
    const { translator, controller } = real.translators[owner];
    const reason = new Error('the creator had enough');
    // A second end changes nothing.
    if (this.by === 'signal') controller.abort(reason);
    else translator.destroy();
    if (!model.alive[owner]) return;
    model.alive[owner] = false;
    // What had not ended by now has to end so, and what comes later, too; what had, has its value.
    const ended = this.by === 'signal' ? reason : 'AbortError';
    real.translators[owner].ended = ended;
    for (const call of real.calls) if (call.owner === owner) call.orElse ??= ended;
  }
  toString = () => `destroy ${this.which} by ${this.by}`;
}

class Settle {
  check = () => true;
  async run(_, real) {
    for (const { promise, expect, orElse } of real.calls.splice(0)) {
      const ended = await promise.then(
        (value) => ({ value }),
        (error) => ({ error }),
      );
      const right = expect.error ? ended.error && is(ended.error, expect.error) : ended.value === expect.value;
      const cutShort = orElse && ended.error && is(ended.error, orElse);
      assert.ok(
        right || cutShort,
        `expected ${expect.error ?? JSON.stringify(expect.value)}, was ${ended.error ?? JSON.stringify(ended.value)}`,
      );
    }
  }
  toString = () => 'all end';
}

test('whatever is called in whatever order, each call ends as the specification has it', async () => {
  const which = fc.nat(5);
  const text = fc.constantFrom(...TEXTS);
  const how = fc.constantFrom('whole', 'whole', 'streaming', 'aborted before', 'aborted meanwhile');
  const commands = [
    fc.constantFrom('never', 'never', 'never', 'before', 'meanwhile').map((aborted) => new Create(RIGHT, aborted)),
    fc.constantFrom(...WRONG_LANGUAGES).map((wrong) => new CreateWrong(wrong)),
    fc.tuple(which, text, fc.constantFrom('text', 'html'), fc.constantFrom(1, 4), how).map((given) => new Translate(...given)),
    fc.tuple(which, text, fc.constantFrom('text', 'html'), fc.constantFrom(1, 4), how).map((given) => new Translate(...given)),
    fc.tuple(which, fc.constantFrom(...WRONG_OPTIONS)).map((given) => new TranslateWrong(...given)),
    fc.tuple(which, text).map((given) => new Measure(...given)),
    fc.tuple(which, fc.constantFrom('destroy', 'signal')).map((given) => new Destroy(...given)),
    fc.constant(new Settle()),
  ];
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { size: '+1' }), async (sequence) => {
      const real = { translators: [], calls: [] };
      try {
        await fc.asyncModelRun(() => ({ model: { alive: [] }, real }), sequence);
        await new Settle().run(undefined, real);
      } finally {
        for (const { translator } of real.translators) translator.destroy();
      }
    }),
    { seed: SEED, numRuns: RUNS },
  );
});

/** HTML of one paragraph: words, and elements within them. */
const { inline } = fc.letrec((tie) => ({
  word: fc.constantFrom('one', 'cat', 'House', '12', 'and', '&amp;', '&uuml;ber', 'a&lt;b', "don't", '\u{1f642}', ',', '.'),
  element: fc
    .tuple(fc.constantFrom('b', 'i', 'em', 'a', 'span'), fc.constantFrom('', ' class="x"', " title='a > b'"), tie('inline'))
    .map(([name, attributes, content]) => `<${name}${attributes}>${content}</${name}>`),
  empty: fc.constantFrom('<br>', '<wbr>', '<!-- a <b> -->', '<img src="a.png" alt="one two">'),
  inline: fc
    .array(fc.oneof({ maxDepth: 4, withCrossShrink: true }, tie('word'), tie('element'), tie('empty')), { maxLength: 6 })
    .map((parts) => parts.join(' ')),
}));
test('of HTML each tag stays, once, and what is read is the translation of what was read', async () => {
  const translator = await Translator.create({ ...RIGHT, models });
  await fc.assert(
    fc.asyncProperty(inline, async (html) => {
      const result = await translator.translate(html, { format: 'html', beam: 1 });
      assert.deepEqual(tags(result), tags(html));
      // A line break or a picture ends a sentence or stands for a word: then the texts differ.
      if (/<(br|img|wbr|!)/.test(html)) return;
      const text = prose(html).replace(/\s+/g, ' ').trim();
      const expected = await translator.translate(text, { beam: 1 });
      assert.equal(prose(result).replace(/\s+/g, ''), expected.replace(/\s+/g, ''));
    }),
    { seed: SEED, numRuns: RUNS * 10 },
  );
  translator.destroy();
});
