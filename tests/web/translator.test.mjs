/**
 * The Translator API, sentence by sentence of the specification. The cases follow web-platform-tests' ai/translator and
 * ai/resources/util.js (what they expect, not their code), and add what those leave open.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { inEachBrowser } from './support/browsers.mjs';
import { expected } from './support/expected.mjs';
import { misnamed } from './support/names.mjs';
import { pageTests } from './support/page-tests.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

inEachBrowser((environment) => {
  const { pageTest } = pageTests(environment);

  test('what is exported has its own name, minified as it is', async () => {
    const found = await environment.page.evaluate(`(async () => {
      const all = { ...(await import('/dragoman.js')), ...(await import('/element.js')) };
      return { exported: Object.keys(all).sort(), wrong: (${misnamed})(all) };
    })()`);
    assert.deepEqual(found, {
      exported: ['Dragoman', 'DragomanTranslate', 'LanguageDetector', 'Translator', 'translateElement'],
      wrong: [],
    });
  });

  pageTest(
    'translate gives the translation; translateStreaming gives the same in pieces, as a real ReadableStream',
    async () => {
      const translator = await create();
      const text = 'I like to read books in the evening. My brother bought a new bicycle yesterday.';
      const stream = translator.translateStreaming(text);
      const isStream = stream instanceof ReadableStream;
      const pieces = await read(stream);
      return { text, isStream, pieces, whole: await translator.translate(text), tag: String(translator) };
    },
    async ({ text, isStream, pieces, whole, tag }) => {
      assert.ok(isStream);
      assert.ok(pieces.length > 2 && pieces.every((piece) => piece.length > 0), `${pieces.length} pieces, none empty`);
      assert.equal(pieces.join(''), whole);
      assert.deepEqual([whole], await expected([text]));
      assert.equal(tag, '[object Translator]');
    },
  );

  pageTest(
    'text without anything to translate comes back unchanged, by both methods',
    async () => {
      const translator = await create();
      const texts = ['', ' ', '     ', ' \r\n\t\f', '🙂', '…!?', '\ud800'];
      for (let code = 0; code < 0x20; code++) texts.push(String.fromCharCode(code));
      const whole = await Promise.all(texts.map((text) => translator.translate(text)));
      const streamed = await Promise.all(texts.map(async (text) => (await read(translator.translateStreaming(text))).join('')));
      const changed = texts.filter((text, index) => whole[index] !== text || streamed[index] !== text);
      const mixed = await Promise.all(texts.slice(0, 4).map((text) => translator.translate(`Hello ${text} world`)));
      return { changed: changed.map(escape), mixed };
    },
    ({ changed, mixed }) => {
      assert.deepEqual(changed, []);
      for (const text of mixed) assert.doesNotMatch(text, /^Hello\s+world$/);
    },
  );

  pageTest(
    'lone surrogates and NUL: a translation and no error',
    async () => {
      const translator = await create();
      const texts = await Promise.all(
        ['I like \ud83d books. \udc00', 'Hello\u0000 world'].map((text) => translator.translate(text)),
      );
      return texts.map((text) => text.length > 0 && text.isWellFormed());
    },
    (results) => assert.deepEqual(results, [true, true]),
  );

  pageTest(
    'a million letters without a blank are no text and come back unchanged',
    async () => {
      const translator = await create();
      const data = 'x'.repeat(1_000_000);
      return (await translator.translate(data)) === data;
    },
    assert.ok,
  );

  pageTest(
    'the argument is a DOMString: converted, and required',
    async () => {
      const translator = await create();
      return [
        await outcome(translator.translate(42)),
        await outcome(translator.translate()),
        await outcome(translator.translate(Symbol('s'))),
        await outcome(translator.translate('No.', null)),
      ];
    },
    ([number, missing, symbol, empty]) => {
      assert.equal(empty.value, 'Nein.');
      assert.equal(number.value, '42');
      assert.deepEqual([missing.error, symbol.error], ['TypeError', 'TypeError']);
    },
  );

  pageTest(
    'measureInputUsage and inputQuota; a text over the quota is a QuotaExceededError with its numbers',
    async () => {
      const translator = await create();
      const usage = await translator.measureInputUsage('hello');
      const tooLong = 'a'.repeat(translator.inputQuota + 1);
      const error = await translator.translate(tooLong).catch((reason) => reason);
      const streamError = await read(translator.translateStreaming(tooLong)).catch((reason) => reason);
      return {
        usage,
        quota: translator.inputQuota,
        name: error.name,
        requested: error.requested,
        errorQuota: error.quota,
        native: error instanceof (window.QuotaExceededError ?? DOMException),
        stream: streamError.name,
      };
    },
    ({ usage, quota, ...error }) => {
      assert.ok(usage > 0 && usage <= quota);
      assert.deepEqual(error, {
        name: 'QuotaExceededError',
        requested: quota + 1,
        errorQuota: quota,
        native: true,
        stream: 'QuotaExceededError',
      });
    },
  );

  pageTest(
    'alignment: ranges of both texts, the same as on the command line, told only to who asks',
    async () => {
      const translator = await create();
      const text = 'Where is the station? 🐈 42\n\nThe door is open.';
      const told = [];
      const onAlignment = (alignment) => told.push(alignment);
      const translation = await translator.translate(text, { alignment: true, onAlignment });
      const streamed = await read(translator.translateStreaming(text, { alignment: true, onAlignment }));
      await translator.translate('🐈!', { alignment: true, onAlignment });
      const plain = await translator.translate(text, { onAlignment });
      const [{ words }] = told;
      const pairs = words.links.map(([s, t]) =>
        [text.slice(...words.source[s]), translation.slice(...words.target[t])].join('-'),
      );
      const html = await outcome(translator.translate('No.', { alignment: true, format: 'html' }));
      return { text, translation, streamed, plain, told, pairs, html };
    },
    ({ text, translation, streamed, plain, told, pairs, html }) => {
      assert.deepEqual([plain, streamed.join('')], [translation, translation]);
      assert.equal(told.length, 3);
      assert.deepEqual(told[1], told[0]);
      assert.equal(html.error, 'TypeError');
      for (const pair of ['station-Bahnhof', '🐈-🐈', '42-42', 'door-Tür', 'open-offen']) assert.ok(pairs.includes(pair), pair);
      assert.deepEqual(told[2].words, {
        source: [
          [0, 2],
          [2, 3],
        ],
        target: [
          [0, 2],
          [2, 3],
        ],
        links: [
          [0, 0, 1],
          [1, 1, 1],
        ],
      });
      // The command line reads lines: the same text in two calls.
      const native = spawnSync(join(root, 'build/native/dragoman'), ['translate', '--model', 'weights/en-de', '--json'], {
        cwd: root,
        input: text.split('\n')[0],
        encoding: 'utf8',
      });
      const line = JSON.parse(native.stdout);
      assert.equal(line.translation, translation.split('\n')[0]);
      for (const kind of ['sentences', 'words', 'pieces']) {
        const { source, target, links } = line.alignment[kind];
        assert.deepEqual(told[0][kind].source.slice(0, source.length), source);
        assert.deepEqual(told[0][kind].target.slice(0, target.length), target);
        assert.deepEqual(told[0][kind].links.slice(0, links.length), links);
      }
    },
  );

  pageTest(
    'alternatives: other translations of a sentence, none of a longer text or unasked',
    async () => {
      const translator = await create();
      const all = async (text, options) => {
        const told = [];
        const translation = await translator.translate(text, {
          ...options,
          onAlternatives: (alternatives) => told.push(alternatives),
        });
        return { translation, told };
      };
      const { WIDEST_BEAM } = await import('/api/translate-options.js');
      const most = WIDEST_BEAM - 1;
      const sentence = 'We are going to the beach tomorrow, although it will rain.';
      let streamed;
      const pieces = await read(
        translator.translateStreaming(sentence, { alternatives: 3, onAlternatives: (found) => (streamed = found) }),
      );
      return {
        three: await all(sentence, { alternatives: 3 }),
        most: await all(sentence, { alternatives: most }),
        none: await all(sentence),
        greedy: await all(sentence, { beam: 1 }),
        few: await all(sentence, { beam: 3, alternatives: 1 }),
        longer: await all(`${sentence} ${sentence}`, { alternatives: 3 }),
        number: await all('...', { alternatives: 3 }),
        pieces,
        streamed,
        wrong: await Promise.all(
          [
            ...[-1, 1.5, most + 1, 'many'].map((alternatives) => ({ alternatives })),
            ...[0, 2.5, WIDEST_BEAM + 1, '4'].map((beam) => ({ beam })),
          ].map((options) => outcome(translator.translate('No.', options))),
        ),
      };
    },
    ({ three, most, none, greedy, few, longer, number, pieces, streamed, wrong }) => {
      assert.equal(new Set([three.translation, ...three.told[0]]).size, 4);
      assert.equal(three.told.length, 1);
      assert.ok(most.told[0].length > 10);
      assert.deepEqual([none.told, longer.told, number.told], [[[]], [[]], [[]]]);
      assert.deepEqual([few.told[0].length, greedy.told], [1, [[]]]);
      assert.equal(none.translation, three.translation, 'the search is as wide without alternatives');
      assert.ok(greedy.translation && longer.translation);
      assert.deepEqual([pieces.join(''), streamed], [three.translation, three.told[0]]);
      for (const { error } of wrong) assert.equal(error, 'TypeError');
    },
  );
});
