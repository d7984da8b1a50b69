/** What a caller may ask of the search beside the translation: scores, beginnings, next words. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { inEachBrowser } from './support/browsers.mjs';
import { pageTests } from './support/page-tests.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Objects that the command line makes of lines. */
function native(args, lines) {
  const all = ['--model', 'weights/en-de', '--json', ...args.slice(1)];
  const { stdout } = spawnSync(join(root, 'build/native/dragoman'), [args[0], ...all], { cwd: root, input: lines });
  return String(stdout).trimEnd().split('\n').map(JSON.parse);
}

inEachBrowser((environment) => {
  const { pageTest } = pageTests(environment);

  pageTest(
    'scores: of sentences, words and pieces, the same as on the command line, told only to who asks',
    async () => {
      const translator = await create();
      const text = 'Where is the station? 🐈 42\n\nThe door is open.';
      const told = [];
      const onScores = (scores) => told.push(scores);
      const translation = await translator.translate(text, { scores: true, onScores });
      const streamed = await read(translator.translateStreaming(text, { scores: true, onScores }));
      await translator.translate('🐈!', { scores: true, onScores });
      const plain = await translator.translate(text, { onScores });
      const html = await outcome(translator.translate('No.', { scores: true, format: 'html' }));
      return { translation, streamed, plain, told, html };
    },
    ({ translation, streamed, plain, told, html }) => {
      assert.deepEqual([plain, streamed.join('')], [translation, translation]);
      assert.equal(told.length, 3);
      assert.deepEqual(told[1], told[0]);
      assert.equal(html.error, 'TypeError');
      const certain = [
        [0, 2, 0],
        [2, 3, 0],
      ];
      assert.deepEqual(told[2], { sentences: [[0, 3, 0]], words: certain, pieces: [] });
      const word = (text) => told[0].words.find(([start, end]) => translation.slice(start, end) === text);
      assert.ok(Math.exp(word('Bahnhof')[2]) > 0.5 && word('Bahnhof')[2] < 0);
      assert.equal(word('42')[2], 0);
      const [line] = native(['translate', '--beam', '4'], 'Where is the station? 🐈 42');
      assert.equal(line.translation, translation.split('\n')[0]);
      for (const kind of ['sentences', 'words', 'pieces'])
        assert.deepEqual(told[0][kind].slice(0, line.scores[kind].length), line.scores[kind]);
    },
  );

  pageTest(
    'a prefix is what the translation begins with, to the letter',
    async () => {
      const translator = await create();
      const text = 'Where is the station?';
      const free = await translator.translate(text);
      const found = [];
      for (const prefix of ['Wo ', 'Wo ist der Bahnh', 'An welchem Ort ', '🐈 Wo ist', '\ud800Wo', free, '  Wo'])
        found.push([prefix, await translator.translate(text, { prefix })]);
      const streamed = await read(translator.translateStreaming(text, { prefix: 'An welchem Ort ' }));
      const number = await translator.translate('42', { prefix: 'Die ' });
      const wrong = [];
      for (const [source, options] of [
        ['One. Two.', { prefix: 'x' }],
        ['', { prefix: 'x' }],
        ['One.', { prefix: 'x'.repeat(2 ** 20) }],
        ['One.', { prefix: 'x', format: 'html' }],
      ])
        wrong.push(await outcome(translator.translate(source, options)));
      return { free, found, streamed, number, wrong, empty: await translator.translate(text, { prefix: '' }) };
    },
    ({ free, found, streamed, number, wrong, empty }) => {
      for (const [prefix, translation] of found)
        assert.ok(translation.startsWith(prefix.trimStart().replace('\ud800', '\ufffd')), `${translation}: ${prefix}`);
      assert.deepEqual([found[0][1], found[1][1], found[5][1], empty], [free, free, free, free]);
      assert.equal(streamed.join(''), found[2][1]);
      assert.match(number, /^Die ./);
      for (const { error } of wrong) assert.equal(error, 'TypeError');
      assert.match(wrong[0].message, /the text has 2 sentences/);
    },
  );

  pageTest(
    'next words: what else fits at a word; with one of them the rest is translated anew',
    async () => {
      const translator = await create();
      const text = 'Where is the station?';
      const words = await translator.nextWords(text, 'Wo ');
      const anew = [];
      for (const { text: word } of words) anew.push(await translator.translate(text, { prefix: `Wo ${word}` }));
      const one = await translator.nextWords(text, 'Wo ist der Bahnh', { count: 1 });
      const end = await translator.nextWords(text, 'Wo ist der Bahnhof?', { count: 1 });
      const wrong = [];
      for (const call of [
        () => translator.nextWords(text),
        () => translator.nextWords(text, 'Wo', { count: 0 }),
        () => translator.nextWords(text, 'Wo', { count: 17 }),
        () => translator.nextWords(`${text} No.`, 'Wo'),
        () => translator.nextWords('', ''),
      ])
        wrong.push((await outcome(call())).error);
      const aborted = await outcome(translator.nextWords(text, 'Wo', { signal: AbortSignal.abort() }));
      translator.destroy();
      return { words, anew, one, end, wrong, aborted, destroyed: await outcome(translator.nextWords(text, '')) };
    },
    ({ words, anew, one, end, wrong, aborted, destroyed }) => {
      assert.equal(words.length, 5);
      assert.equal(words[0].text, 'ist');
      assert.ok(words[0].probability > 0.5);
      for (const [i, translation] of anew.entries()) assert.ok(translation.startsWith(`Wo ${words[i].text}`), translation);
      assert.equal(new Set(anew).size, anew.length);
      assert.deepEqual([one[0].text, one.length, end[0].text], ['of', 1, '']);
      assert.deepEqual(wrong, Array(5).fill('TypeError'));
      assert.deepEqual([aborted.error, destroyed.error], ['AbortError', 'AbortError']);
      const [line] = native(['translate', '--next-words', '5', '--prefix', 'Wo '], 'Where is the station?');
      assert.deepEqual(words, line.next_words);
    },
  );

  pageTest(
    'score: how probable a translation is that is given, as on the command line',
    async () => {
      const translator = await create();
      const pairs = [
        ['Where is the station?', 'Wo ist der Bahnhof?'],
        ['Where is the station?', 'Die Katze schläft. 🐈'],
      ];
      const scores = [];
      for (const [source, target] of pairs) scores.push(await translator.score(source, target));
      const wrong = [];
      for (const call of [() => translator.score('One.'), () => translator.score('One. Two.', 'Eins.')])
        wrong.push((await outcome(call())).error);
      return { pairs, scores, wrong };
    },
    ({ pairs, scores, wrong }) => {
      assert.deepEqual(wrong, ['TypeError', 'TypeError']);
      const lines = native(['score'], pairs.map((pair) => pair.join('\t')).join('\n'));
      assert.deepEqual(
        scores,
        lines.map(({ scores }) => scores),
      );
      assert.ok(scores[0].sentences[0][2] > scores[1].sentences[0][2] + 5);
    },
  );

  pageTest(
    'a glossary says what terms become, in text and in HTML',
    async () => {
      const translator = await create();
      const text = 'Where is the station? The house is small.';
      const glossary = new Map([
        ['station', 'Haltestelle'],
        ['house', 'Gebäude'],
        ['airport', 'Flughafen'],
      ]);
      const plain = await translator.translate('The door is open.');
      const found = await translator.translate(text, { glossary });
      const unused = await translator.translate('The door is open.', { glossary });
      const html = await translator.translate('<p>Where is the <b>station</b>?</p>', { glossary, format: 'html' });
      let scores;
      await translator.translate(text, { glossary: [...glossary], scores: true, onScores: (told) => (scores = told) });
      const wrong = [];
      for (const bad of [
        ['ab'],
        [['a']],
        [['a', 1]],
        [['a', 'b', 'c']],
        [['a\tb', 'c']],
        [['', 'b']],
        [['a', ' ']],
        [['\ud800', '']],
        [
          ['a', 'b'],
          ['a', 'c'],
        ],
        7,
      ])
        wrong.push((await outcome(translator.translate(text, { glossary: bad }))).error);
      wrong.push((await outcome(translator.translate(text, { glossary, sampling: {} }))).error);
      return { plain, found, unused, html, words: scores.words.length, wrong };
    },
    ({ plain, found, unused, html, words, wrong }) => {
      assert.equal(unused, plain);
      assert.match(found, /Haltestelle\? Das Gebäude /);
      assert.match(html, /^<p>.*<b>.*Haltestelle.*<\/p>$/);
      assert.equal(words, 10);
      assert.deepEqual(wrong, Array(11).fill('TypeError'));
    },
  );

  pageTest(
    'sampling: by chance, the same for a seed, as on the command line',
    async () => {
      const translator = await create();
      const text = 'The children are playing in the garden today, and I am reading a very good book.';
      const draw = (sampling, options) => translator.translate(text, { sampling, ...options });
      const seeded = await draw({ seed: 7, temperature: 1.5 });
      const again = await draw({ seed: 7, temperature: 1.5 });
      const several = new Set();
      for (let i = 0; i < 5; i++) several.add(await draw({ temperature: 1.5 }));
      const greedy = [await draw({ topK: 1 }), await translator.translate(text, { beam: 1 })];
      const wrong = [];
      for (const [sampling, options] of [
        [{ temperature: 0 }],
        [{ temperature: Number.NaN }],
        [{ temperature: 101 }],
        [{ topK: 0 }],
        [{ topP: 0 }],
        [{ topP: 1.1 }],
        [{ seed: -1 }],
        [{ seed: 2 ** 32 }],
        [{}, { beam: 4 }],
        [{}, { alternatives: 2 }],
      ])
        wrong.push((await outcome(draw(sampling, options))).error);
      return { text, seeded, again, several: several.size, greedy, wrong };
    },
    ({ text, seeded, again, several, greedy, wrong }) => {
      assert.equal(again, seeded);
      assert.ok(several > 2);
      assert.equal(greedy[0], greedy[1]);
      assert.deepEqual(wrong, Array(10).fill('TypeError'));
      const [line] = native(['translate', '--seed', '7', '--temperature', '1.5'], text);
      assert.equal(line.translation, seeded);
    },
  );

  test('by way of another language, scores and beginnings are those of the last model', async () => {
    const manifest = JSON.parse(await (await fetch(new URL('/weights/manifest.json', environment.site.url))).text());
    const find = (source) => manifest.models.find((model) => model.sourceLanguage === source);
    const models = {
      version: 1,
      models: [
        { ...find('de'), sourceLanguage: 'xc' },
        { ...find('en'), targetLanguage: 'xd' },
      ],
    };
    for (const file of models.models.flatMap((model) => model.files)) file.path = `/weights/${file.path}`;
    const result = await environment.page.evaluate(async (models) => {
      const translator = await Translator.create({ sourceLanguage: 'xc', targetLanguage: 'xd', models });
      let scores;
      const text = 'Wo ist der Bahnhof?\n\nDas Haus ist klein.';
      const whole = await translator.translate(text, { scores: true, onScores: (found) => (scores = found) });
      return {
        words: scores.words.map(([start, end]) => whole.slice(start, end)),
        whole,
        sentence: await translator.translate('Wo ist der Bahnhof?', { prefix: 'An welchem Ort ' }),
        next: await translator.nextWords('Wo ist der Bahnhof?', 'Wo ist der '),
        score: await translator.score('Wo ist der Bahnhof?', 'Wo ist der Bahnhof?'),
        lines: await outcome(translator.translate(text, { prefix: 'Wo' })),
        glossary: await outcome(translator.translate(text, { glossary: [['Haus', 'Gebäude']] })),
      };
    }, models);
    assert.equal(result.words.join(''), result.whole.replace(/\s/g, ''));
    assert.ok(result.sentence.startsWith('An welchem Ort '));
    assert.equal(result.next[0].text, 'Bahnhof');
    assert.equal(result.score.words.length, 5);
    assert.equal(result.lines.error, 'TypeError');
    assert.equal(result.glossary.error, 'TypeError');
  });
});
