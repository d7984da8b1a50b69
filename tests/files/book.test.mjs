/** A book of 300 pages: read and written whole, without copies of it lying about; the page's part is scripts/benchmark/book.mjs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { CHAPTERS, epub, prose } from '../../scripts/benchmark/book_made.mjs';
import { openDocument, translateSegments } from '../../web/files.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
// Buffers are given back beside the program, and told of at a later turn: what one collection has found the next one sees.
const held = async () => {
  for (let round = 0; round < 4; round++) {
    await turn();
    collect();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};
const paragraphs = prose();
const translator = { translate: async (html) => `Text of ${html.length}.` };

for (const [name, bytes, titles] of [
  ['book.epub', epub(paragraphs), CHAPTERS],
  ['book.txt', new TextEncoder().encode(paragraphs.join('\n\n')), 0],
]) {
  test(`${name}: each paragraph is there once, and what is held is of the size of the book`, async () => {
    // Once through before it is measured: the libraries of the format, and what is compiled, stay and are not the book's.
    const first = await openDocument(name, bytes);
    first.write(await translateSegments(first, translator, {}), 'de');
    const before = await held();
    const book = await openDocument(name, bytes);
    const { length } = paragraphs.join('');
    assert.equal(book.segments.length, paragraphs.length + titles);
    const seen = [];
    const translations = await translateSegments(book, translator, { onProgress: ({ done }) => seen.push(done) });
    const written = book.write(translations, 'de');
    const more = (await held()) - before;
    assert.ok(more < 6 * length, `${more} bytes of a book of ${length} characters`);
    const again = await openDocument(name, written);
    assert.deepEqual(again.segments, translations);
    assert.deepEqual(
      seen,
      [...seen].sort((a, b) => a - b),
      'progress never goes back',
    );
  });
}
