/** What the model attended to: through the API, and on the page, where it can be seen, read and saved. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { before, test } from 'node:test';
import { de } from '../../web/page/messages-de.js';
import { inChromium } from './support/browsers.mjs';
import { pageTests } from './support/page-tests.mjs';

const axeSource = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TEXT = 'Where is the train station? I like to read books in the evening.';

inChromium((environment) => {
  const { pageTest } = pageTests(environment);

  pageTest(
    'the API tells the attention of every layer and head, with the pieces on both sides, and what it took',
    async () => {
      const translator = await create();
      const text = 'Where is the station? 42. Good morning!';
      let [attention, alignment] = [];
      const plain = await translator.translate(text);
      const german = await translator.translate(text, {
        attention: true,
        onAttention: (found) => (attention = found),
        onAlignment: (found) => (alignment = found),
      });
      const rows = attention.sentences.flatMap(({ source, target, weights }) => {
        const width = source.length + 1;
        const sums = [];
        for (let at = 0; at < weights.length; at += width) sums.push(weights.slice(at, at + width).reduce((a, b) => a + b, 0));
        const expected = weights.length === 0 ? 0 : attention.layers * attention.heads * target.length;
        return [{ fits: sums.length === expected, sums }];
      });
      const piece = attention.sentences[0].target.map(([start, end]) => german.slice(start, end)).join('');
      const refused = await outcome(translator.translate('<b>no</b>', { format: 'html', attention: true }));
      translator.destroy();
      const { shape, milliseconds, steps, layers, heads } = attention;
      return {
        same: plain === german,
        rows,
        piece,
        words: alignment.words.links.length,
        shape,
        milliseconds,
        steps,
        layers,
        heads,
        refused,
      };
    },
    ({ same, rows, piece, words, shape, milliseconds, steps, layers, heads, refused }) => {
      assert.ok(same, 'the translation is the same as without');
      assert.equal(rows.length, 3);
      assert.equal(rows[1].sums.length, 0, 'what passes unchanged has none');
      for (const { fits, sums } of rows) {
        assert.ok(fits);
        for (const sum of sums) assert.ok(Math.abs(sum - 1) < 1e-3, `a row adds up to ${sum}`);
      }
      assert.match(piece, /^Wo ist/);
      assert.ok(words > 4);
      assert.deepEqual([layers, heads], [shape.decoderLayers, shape.decoderHeads]);
      assert.ok(shape.width > 0 && shape.vocabulary > shape.width && shape.feedForward > 0 && shape.encoderHeads > 0);
      assert.ok(milliseconds.split >= 0 && milliseconds.encode >= 0 && milliseconds.decode > 0 && steps > 3);
      assert.equal(refused.type, 'TypeError');
    },
  );

  pageTest(
    'the attention of a stream grows with its text, and what is there stays',
    async () => {
      const translator = await create();
      const text =
        'Good morning! When we came back from the long walk through the old town, in which we had seen the museum, the church ' +
        'and the market, we were so tired that we sat down in front of the station, drank a cup of tea, and waited for the train.' +
        // It is told once a frame: for a fast machine, too, that is to be more than twice.
        ' My brother, who lives in Berlin, bought a new bicycle yesterday, although his old one was still as good as new.'.repeat(
          6,
        );
      const told = [];
      const options = { beam: 1, attention: true, onAttention: (found) => told.push(found) };
      await read(translator.translateStreaming(text, options));
      const once = [];
      await translator.translate(text, { beam: 1, attention: true, onAttention: (found) => once.push(found) });
      translator.destroy();
      const last = told.at(-1);
      let differences = 0;
      for (const found of told) {
        for (const [i, { target, source, weights }] of found.sentences.entries()) {
          const whole = last.sentences[i];
          const columns = source.length + 1;
          for (let head = 0; head < found.layers * found.heads; head++)
            for (let t = 0; t < target.length - 1; t++)
              for (let s = 0; s < columns; s++) {
                const one = weights[(head * target.length + t) * columns + s];
                if (one !== whole.weights[(head * whole.target.length + t) * columns + s]) differences++;
              }
        }
      }
      const rows = told.map(({ sentences }) => sentences.reduce((sum, { target }) => sum + target.length, 0));
      return { rows, differences, once: once.length };
    },
    ({ rows, differences, once }) => {
      assert.ok(rows.length > 2, `told ${rows.length} times`);
      assert.deepEqual(
        rows,
        rows.toSorted((a, b) => a - b),
      );
      assert.ok(rows[0] < rows.at(-1));
      assert.equal(differences, 0);
      assert.equal(once, 1);
    },
  );

  let site, page;

  before(async () => {
    site = environment.site;
    const context = await environment.browser.newContext({ reducedMotion: 'reduce', acceptDownloads: true });
    page = await context.newPage();
  });

  const violations = async () => {
    await page.evaluate(axeSource);
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 200)).join(' ')}`);
  };
  const translated = async (text) => {
    // What was there before a reload may be translated already.
    await page.fill('#source', '');
    await page.waitForFunction(() => document.querySelector('#target-note').textContent === '');
    await page.fill('#source', text);
    await page.waitForFunction(() => /tokens\/s$/.test(document.querySelector('#target-note').textContent));
  };
  const fills = () =>
    page.evaluate(() => [...document.querySelectorAll('.heat-map rect')].map((cell) => cell.getAttribute('fill')).join());

  test('the page shows it as a map: of any layer and head, by key and pointer, as a table, and it survives a reload', async () => {
    await page.goto(site.url);
    assert.ok(await page.isHidden('#attention'), 'nobody is shown it who did not ask');
    await page.click('[aria-controls=attention]');
    await page.waitForSelector('#attention .note:visible');
    await translated('Good morning! Where is the train station?');
    await page.waitForSelector('.heat-map svg');
    assert.equal(await page.locator('#attention-sentence option').count(), 2);
    await page.selectOption('#attention-sentence', '1');
    await page.waitForFunction(() => /Bahnhof\?/.test(document.querySelector('.heat-map').textContent));
    assert.equal(await page.locator('#attention-layer option').count(), 3);
    const mean = await fills();
    await page.selectOption('#attention-layer', '0');
    await page.selectOption('#attention-head', '2');
    assert.notEqual(await fills(), mean);
    await page.focus('.heat-map');
    for (const key of ['ArrowDown', 'ArrowRight', 'ArrowUp', 'ArrowLeft', 'ArrowLeft']) await page.keyboard.press(key);
    assert.match(await page.innerText('#attention [role=status]'), /^Wo ← Where: \d+ %$/);
    await page.click('.as-table summary');
    await page.waitForSelector('.as-table tbody td');
    const cells = await page.locator('.as-table tbody tr').first().locator('td').allInnerTexts();
    const sum = cells.reduce((total, cell) => total + Number.parseInt(cell, 10), 0);
    assert.ok(Math.abs(sum - 100) <= cells.length / 2, `a row of the table adds up to ${sum} %`);
    await page.waitForFunction(() => document.querySelectorAll('.masks figure').length === 2);
    assert.deepEqual(await violations(), []);
    await page.reload();
    await page.waitForSelector('.heat-map svg');
    await page.fill('#source', '');
    await page.waitForSelector('.heat-map', { state: 'hidden' });
  });

  test('a map can be saved as SVG and as PNG', async () => {
    await page.goto(site.url);
    await translated(TEXT);
    await page.waitForSelector('.heat-map svg');
    // Downloads of Firefox do not reach the tests: what is to be saved is looked at on its way.
    await page.evaluate(() => {
      window.saved = [];
      HTMLAnchorElement.prototype.click = async function () {
        const file = await window.blobs.get(this.href).arrayBuffer();
        window.saved.push([this.download, [...new Uint8Array(file.slice(0, 4))], file.byteLength]);
      };
      window.blobs = new Map();
      const make = URL.createObjectURL;
      URL.createObjectURL = (blob) => {
        const url = make.call(URL, blob);
        window.blobs.set(url, blob);
        return url;
      };
    });
    await page.click('#attention button:has-text("SVG")');
    await page.click('#attention button:has-text("PNG")');
    await page.waitForFunction(() => window.saved.length === 2);
    const [png, svg] = (await page.evaluate(() => window.saved)).sort();
    assert.equal(svg[0], 'dragoman-attention.svg');
    assert.equal(String.fromCharCode(...svg[1]), '<svg');
    assert.equal(png[0], 'dragoman-attention.png');
    assert.deepEqual(png[1], [0x89, 0x50, 0x4e, 0x47]);
    assert.ok(png[2] > 2000);
  });

  test('the way of the last sentence through the model is told with the shapes and times that it had', async () => {
    await page.goto(site.url);
    await page.click('[aria-controls=how]');
    await translated(TEXT);
    await page.waitForFunction(() => document.querySelectorAll('.stages li').length === 7);
    const shapes = await page.locator('.stages code').allInnerTexts();
    assert.equal(shapes[0], '36 characters');
    assert.match(shapes[3], /^6 × \[\d+, 256\]$/);
    assert.match(shapes[5], /^\d+ × \[≤ 4, 256\] → \[≤ 4, 8000\]$/);
    const read = await page.locator('.stages p').nth(2).innerText();
    assert.equal(read.replaceAll(' | ', '').replaceAll(' ', ''), 'Iliketoreadbooksintheevening.');
    assert.match(await page.locator('.stages .note').nth(5).innerText(), /^[\d.]+ ms$/);
    assert.deepEqual(await violations(), []);
    await page.click('[aria-controls=how]');
    assert.ok(await page.isHidden('#how'));
  });

  test('in German, too', async () => {
    const context = await environment.browser.newContext({ locale: 'de-DE', reducedMotion: 'reduce' });
    const tab = await context.newPage();
    await tab.goto(site.url);
    await tab.waitForFunction(() => document.documentElement.lang === 'de');
    await tab.click('[aria-controls=attention]');
    await tab.fill('#source', 'Good morning!');
    await tab.waitForSelector('.heat-map svg');
    assert.equal(await tab.innerText('#attention h2'), de.attention);
    await context.close();
  });
});
