/**
 * The same text everywhere, in browsers: of the 200 sentences whose hashes tests/core/same_answer_test.cpp has natively, there and
 * back, every sixteenth has the same by each kernel, on one thread and on several.
 *   DRAGOMAN_SENTENCES=FILE node --test tests/web/same-answer.test.mjs    compares with the command line's on any lines of English
 */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { HEADERS } from '../../scripts/site/serve.mjs';
import { inEachBrowser } from './support/browsers.mjs';
import { answers, openSite } from './support/site.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const own = process.env.DRAGOMAN_SENTENCES;
const DIRECTIONS = ['en-de', 'de-en'];

const linesOf = async (path) => (await readFile(path, 'utf8')).split('\n').slice(0, -1);
/** Six runs of all would be minutes of the tests. */
const sampled = (lines) => (own ? lines : lines.filter((_, i) => i % 16 === 0));
const english = sampled(await linesOf(own ?? `${root}scripts/benchmark/en200.txt`));

/** The hashes of the lines of both directions' translations. */
function hashes(translations) {
  const script =
    'import json, sys, xxhash; print(json.dumps([[xxhash.xxh64_hexdigest(t).lstrip("0") for t in lines] for lines in json.load(sys.stdin)]))';
  const { stdout, stderr } = spawnSync('/usr/bin/python3', ['-c', script], {
    input: JSON.stringify(translations),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  assert.equal(stderr, '');
  return JSON.parse(stdout);
}

async function expected() {
  if (!own)
    return Promise.all(
      DIRECTIONS.map(async (direction) => sampled(await linesOf(`${root}tests/data/translations-${direction}.txt`))),
    );
  const results = [];
  let lines = english;
  for (const direction of DIRECTIONS) {
    const running = promisify(execFile)(`${root}build/native/dragoman`, ['translate', '--model', `${root}weights/${direction}`], {
      maxBuffer: 1 << 28,
    });
    running.child.stdin.end(`${lines.join('\n')}\n`);
    lines = (await running).stdout.split('\n').slice(0, -1);
    results.push(lines);
  }
  return hashes(results);
}

const table = await expected();

inEachBrowser((environment) => {
  for (const [way, isolated, relaxed] of [
    ['isolated, hence on several threads where the browser may, with the fastest kernels', true, true],
    ['not isolated, hence on one thread, with the fastest kernels', false, true],
    ['not isolated, with the kernels that every browser has', false, false],
  ]) {
    test(way, async (t) => {
      const { 'Cross-Origin-Opener-Policy': _, 'Cross-Origin-Embedder-Policy': __, ...shared } = HEADERS;
      const site = await openSite({ headers: isolated ? HEADERS : shared });
      const context = await environment.browser.newContext();
      t.after(() => Promise.all([context.close(), site.close()]));
      if (!relaxed)
        for (const build of ['', '-threads']) site.rules.set(`/core/dragoman-relaxed${build}.wasm`, answers.status(404));
      const page = await context.newPage();
      await page.goto(`${site.url}blank.html`);
      const translations = await page.evaluate(
        async ([english, directions]) => {
          const { Translator } = await import('/dragoman.js');
          const results = [];
          let lines = english;
          for (const direction of directions) {
            const [sourceLanguage, targetLanguage] = direction.split('-');
            const translator = await Translator.create({ sourceLanguage, targetLanguage });
            lines = await Promise.all(lines.map((line) => translator.translate(line, { beam: 1 })));
            results.push(lines);
            translator.destroy();
          }
          return results;
        },
        [english, DIRECTIONS],
      );
      const found = hashes(translations);
      for (const [d, direction] of DIRECTIONS.entries()) {
        const wrong = translations[d].filter((_, i) => found[d][i] !== table[d][i]);
        assert.deepEqual(wrong, [], direction);
        assert.equal(found[d].length, english.length);
      }
      t.diagnostic(`${english.length} lines there and back, ${isolated ? 'isolated' : 'not isolated'}`);
    });
  }
});
