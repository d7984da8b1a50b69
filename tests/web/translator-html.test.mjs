/** HTML through the API and a real model: see tests/markup for what holds whatever the translation is. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { readHtml } from '../../web/markup/html.js';
import { tokenize } from '../../web/markup/tokens.js';
import { inEachBrowser } from './support/browsers.mjs';
import { pageTests } from './support/page-tests.mjs';

const FRAGMENTS = 40;

/** @param {string} html */
const tags = (html) =>
  tokenize(html)
    .filter(({ kind }) => kind !== 'text')
    .map((token) => token.html)
    .sort();

/** @param {string} html */
const sections = (html) => readHtml(html).flatMap(({ section }) => section ?? []);

inEachBrowser((environment) => {
  const { pageTest } = pageTests(environment);

  pageTest(
    'a sentence that tags cut is translated as one, and the tags go with their words',
    async () => {
      const translator = await create();
      const html = (text) => translator.translate(text, { format: 'html' });
      const text = 'Where is the station? The house is small.';
      return {
        plain: await translator.translate(text),
        html: await html('Where is <a href="?a=1&b=2">the <b>station</b></a>? The <i class=x>house</i> is small.'),
        blocks: await html('<ul>\n <li>Good morning!<br>No.</li><!-- c -->\n <li>42</ul>'),
        kept: await html(
          '<p>Call <code>f(x &lt; 3)</code> or write to me@a.example &amp; see https://a.example/b_c?d=e.</p><pre>a  b</pre>',
        ),
        nothing: [await html(''), await html('<hr>'), await html(' 7 ')],
      };
    },
    ({ plain, html, blocks, kept, nothing }) => {
      assert.equal(html.replace(/<[^>]*>/g, ''), plain);
      assert.equal(html, 'Wo ist <a href="?a=1&b=2">der <b>Bahnhof</b></a>? Das <i class=x>Haus</i> ist klein.');
      assert.equal(blocks, '<ul>\n <li>Guten Morgen!<br>Nein.</li><!-- c -->\n <li>42</ul>');
      for (const part of ['<code>f(x &lt; 3)</code>', 'me@a.example', 'https://a.example/b_c?d=e', '<pre>a  b</pre>', '&amp;']) {
        assert.ok(kept.includes(part), `${part} in ${kept}`);
      }
      assert.deepEqual(nothing, ['', '<hr>', ' 7 ']);
    },
  );

  pageTest(
    'streaming gives the same, in paragraphs; an abort ends it; what cannot be asked for is a TypeError',
    async () => {
      const translator = await create();
      const text = '<p>Good <b>morning</b>! The <i>house</i> is small.</p>'.repeat(12);
      const statistics = [];
      const options = { format: 'html', onStatistics: (counts) => statistics.push(counts) };
      const pieces = await read(translator.translateStreaming(text, options));
      const controller = new AbortController();
      const aborted = outcome(translator.translate(LONG, { format: 'html', signal: controller.signal }));
      // It is on its way when one that is short, and was begun later, is through.
      await translator.translate('No.');
      controller.abort();
      const wrong = await outcome(translator.translate('No.', { format: 'xml' }));
      return { pieces, whole: await translator.translate(text, options), statistics, aborted: await aborted, wrong };
    },
    ({ pieces, whole, statistics, aborted, wrong }) => {
      assert.equal(pieces.join(''), whole);
      assert.ok(pieces.length > 1);
      for (const piece of pieces) assert.equal(piece.match(/<b>/g)?.length ?? 0, piece.match(/<\/b>/g)?.length ?? 0);
      assert.equal(statistics.at(-1).sentences, 24);
      assert.equal(aborted.error, 'AbortError');
      assert.equal(wrong.error, 'TypeError');
    },
  );

  test('real documentation: every tag is there, and without them it is the translation of the text', async () => {
    const { fragments } = JSON.parse(await readFile(new URL('../data/fragments.json', import.meta.url), 'utf8'));
    const chosen = fragments.slice(0, FRAGMENTS);
    const texts = chosen.map((/** @type {string} */ html) => sections(html).map(({ text }) => text));
    const { results, plain } = await environment.page.evaluate(
      async ([some, prose]) => {
        const translator = await create();
        const all = (list, options) => Promise.all(list.map((one) => translator.translate(one, options)));
        return { results: await all(some, { format: 'html' }), plain: await Promise.all(prose.map((list) => all(list))) };
      },
      [chosen, texts],
    );
    let compared = 0;
    for (const [i, html] of chosen.entries()) {
      assert.deepEqual(tags(results[i]), tags(html));
      // Where nothing was put in place of code and addresses.
      if (/<(code|tt|var|kbd|samp)\b|https?:|www\.|@/.test(html)) continue;
      const expected = plain[i].join(' ').replace(/\s+/g, ' ');
      assert.equal(
        sections(results[i])
          .map(({ text }) => text)
          .join(' ')
          .replace(/\s+/g, ' '),
        expected,
      );
      compared++;
    }
    assert.ok(compared > FRAGMENTS / 4, `${compared}`);
  });
});
