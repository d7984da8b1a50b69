/** What the page tells of single words: those the model doubts, and what else fits in the place of one. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { inChromium } from './support/browsers.mjs';
import { expected } from './support/expected.mjs';

const SENTENCE = 'Where is the train station?';
const BEHIND = 'I like to read books in the evening.';
const [TRANSLATION, BEHIND_TRANSLATION] = await expected([SENTENCE, BEHIND]);

inChromium((environment) => {
  let page, errors;

  beforeEach(async () => {
    errors = [];
    page = await environment.browser.newPage();
    page.on('pageerror', (error) => /^Failed to load .* ServiceWorker intercepted/.test(error.message) || errors.push(error));
    await page.goto(environment.site.url);
  });

  afterEach(async () => {
    await page.close();
    assert.deepEqual(errors, [], 'no uncaught error on the page');
  });

  const target = () => page.innerText('#target');
  const translated = (text) => page.waitForFunction((wanted) => document.querySelector('#target').innerText === wanted, text);
  const finished = () => page.waitForFunction(() => /tokens\/s$/.test(document.querySelector('#target-note').textContent));
  const doubts = () =>
    page.evaluate(() => ['doubt-much', 'doubt-some'].flatMap((name) => [...(CSS.highlights.get(name) ?? [])].map(String)));

  async function translate(text, translation) {
    await page.fill('#source', text);
    await translated(translation);
    await finished();
  }

  test('doubtful words are marked and told when that is wanted, and no others', async () => {
    await translate(SENTENCE, TRANSLATION);
    assert.deepEqual(await doubts(), []);
    assert.equal(await page.isVisible('#doubts'), false);
    await page.focus('#confidence');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#doubts:visible');
    assert.equal(await page.getAttribute('#confidence', 'aria-pressed'), 'true');
    const rare = 'The gruffalo had a knobbly knee and turned-out toes.';
    await page.fill('#source', rare);
    await page.waitForFunction(() => /\d %/.test(document.querySelector('#doubts:not([hidden])')?.textContent));
    const marked = await doubts();
    assert.ok(marked.length > 0);
    const [shown, told] = [await target(), await page.innerText('#doubts')];
    for (const word of marked) assert.ok(shown.includes(word), `${word} in ${shown}`);
    assert.match(told, /^Least sure of: \S+ \d+ %/);
    await page.click('#confidence');
    await page.waitForFunction(() => document.querySelector('#doubts').hidden);
    assert.deepEqual(await doubts(), []);
  });

  test('a word has others in its place, and the rest of its sentence follows the one that is chosen', async () => {
    await translate(`${SENTENCE} ${BEHIND}`, `${TRANSLATION} ${BEHIND_TRANSLATION}`);
    await page.focus('#target');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#next-words:popover-open button');
    assert.match(await page.innerText('#next-words'), /^What else fits here\n/);
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => !document.querySelector('#next-words').matches(':popover-open'));
    assert.equal(await target(), `${TRANSLATION} ${BEHIND_TRANSLATION}`, 'nothing was chosen');

    await page.focus('#target');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#next-words:popover-open button');
    const first = page.locator('#next-words button').first();
    const word = await first.locator('span').first().innerText();
    await first.click();
    await page.waitForFunction(
      (before) => document.querySelector('#target').innerText !== before,
      `${TRANSLATION} ${BEHIND_TRANSLATION}`,
    );
    const changed = await target();
    assert.ok(changed.split(/\s|(?=[?!.,])/).includes(word), `${word} in ${changed}`);
    assert.ok(changed.endsWith(` ${BEHIND_TRANSLATION}`), changed);
    // Its words are linked like those of any translation.
    await page.focus('#target');
    await page.keyboard.press('End');
    await page.waitForFunction(() => CSS.highlights.get('linked-words')?.size > 0);
  });
});
