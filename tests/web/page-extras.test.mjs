/** What the page has beside the translation: linked words, history, links to share, reading aloud. */
import assert from 'node:assert/strict';
import { afterEach, before, beforeEach, test } from 'node:test';
import { inChromium } from './support/browsers.mjs';
import { expected } from './support/expected.mjs';
import { told } from './support/told.mjs';

const SENTENCES = ['I like to read books in the evening.', 'Where is the train station?'];
const TRANSLATIONS = await expected(SENTENCES);

inChromium((environment) => {
  let site, context, page, errors;

  before(async () => {
    site = environment.site;
    context = await environment.browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  });

  beforeEach(async () => {
    errors = [];
    page = await open();
  });

  afterEach(async () => {
    await page.close();
    assert.deepEqual(errors, [], 'no uncaught error on the page');
  });

  async function open() {
    const tab = await context.newPage();
    tab.on('pageerror', (error) => /^Failed to load .* ServiceWorker intercepted/.test(error.message) || errors.push(error));
    return tab;
  }

  const translated = (text) => page.waitForFunction((wanted) => document.querySelector('#target').innerText === wanted, text);
  const finished = () => page.waitForFunction(() => /tokens\/s$/.test(document.querySelector('#target-note').textContent));
  const history = (count) => page.waitForFunction((n) => document.querySelectorAll('.history li').length === n, count);
  /** What is shown is kept, and so is the list that shows it: nothing changes it any more. */
  const latest = (text) =>
    page.waitForFunction(
      (wanted) => document.querySelector('.history li > :first-child > :first-child')?.textContent === wanted,
      text,
    );
  /** What lights up. */
  const lit = () => page.evaluate(() => [...(CSS.highlights.get('linked-words') ?? [])].map(String));
  const untilLit = (words) =>
    page.waitForFunction(
      (wanted) => String([...(CSS.highlights.get('linked-words') ?? [])].map(String)) === wanted,
      String(words),
    );

  /** The middle of a word of the translation, or of the text in the box as its twin shows it. */
  const middle = (selector, word) =>
    page.evaluate(
      ([where, wanted]) => {
        const box = document.querySelector(where);
        const text = document.createTreeWalker(box, NodeFilter.SHOW_TEXT).nextNode();
        const range = document.createRange();
        const at = text.data.indexOf(wanted);
        range.setStart(text, at);
        range.setEnd(text, at + wanted.length);
        const { left, top, width, height } = range.getBoundingClientRect();
        return [left + width / 2, top + height / 2];
      },
      [selector, word],
    );

  test('a word under the pointer lights up with what it stands for, on either side', async () => {
    await page.goto(site.url);
    await page.fill('#source', `${SENTENCES[0]}\n\n${SENTENCES[1]} `.repeat(20));
    await finished();
    await page.fill('#source', `${SENTENCES[1]}\n${SENTENCES[0]}`);
    await translated(`${TRANSLATIONS[1]}\n${TRANSLATIONS[0]}`);
    await finished();
    await page.mouse.move(...(await middle('#target', 'Bahnhof')));
    await page.waitForFunction(() => CSS.highlights.has('linked-words'));
    const light = await lit();
    assert.ok(light.includes('station') && light.at(-1) === 'Bahnhof', light.join());
    await page.mouse.move(...(await middle('.twin', 'Where')));
    await untilLit(['Where', 'Wo']);
    await page.mouse.move(2, 2);
    await untilLit([]);
    await page.mouse.move(...(await middle('#target', 'Bahnhof')));
    await untilLit(light);
    await page.fill('#source', 'Where');
    assert.deepEqual(await lit(), [], 'what is typed has no words yet');
  });

  test('the twin of the text box has each word where the box has it', async () => {
    await page.goto(site.url);
    await page.fill('#source', `${SENTENCES.join(' ')} `.repeat(30));
    await finished();
    await page.locator('#source').click({ position: { x: 60, y: 40 } });
    await page.waitForSelector('.twin', { state: 'attached' });
    const sizes = await page.evaluate(() => {
      const [box, twin] = [document.querySelector('#source'), document.querySelector('.twin')];
      box.scrollTop = 40;
      return new Promise((go) =>
        requestAnimationFrame(() =>
          go([box, twin].map((one) => [one.clientWidth, one.clientHeight, one.scrollTop, one.getBoundingClientRect().top])),
        ),
      );
    });
    assert.deepEqual(sizes[1], sizes[0]);
    const [box, twin] = await page.evaluate(() => ['#source', '.twin'].map((one) => document.querySelector(one).scrollHeight));
    assert.ok(Math.abs(box - twin) <= 45, `${box} and ${twin} pixels of text`);
  });

  test('arrow keys go from word to word, lit and told; the caret lights up the word it is in', async () => {
    await page.goto(site.url);
    await page.fill('#source', SENTENCES[1]);
    await translated(TRANSLATIONS[1]);
    await finished();
    await page.focus('#target');
    await page.keyboard.press('Home');
    await untilLit(['Where', 'Wo']);
    await page.keyboard.press('ArrowRight');
    await untilLit(['is', 'ist']);
    assert.equal(await page.innerText('#announcer'), 'ist: is');
    await page.keyboard.press('ArrowLeft');
    await untilLit(['Where', 'Wo']);
    await page.focus('#source');
    await page.keyboard.press('Control+Home');
    await untilLit(['Where', 'Wo']);
    await page.focus('#swap');
    await untilLit([]);
  });

  test('what was translated is kept, comes back, and goes for good', async () => {
    await page.goto(site.url);
    await page.click('[aria-controls=history]');
    await page.waitForSelector('#history h2');
    if (await page.isVisible('#history .panel-bar button')) await page.click('#history .panel-bar button');
    await history(0);
    await page.locator('#source').pressSequentially(SENTENCES[0], { delay: 5 });
    await translated(TRANSLATIONS[0]);
    await latest(SENTENCES[0]);
    await history(1);
    await page.fill('#source', SENTENCES[1]);
    await translated(TRANSLATIONS[1]);
    await history(2);
    const texts = await page.locator('.history li > :first-child > :first-child').allInnerTexts();
    assert.deepEqual(texts, [SENTENCES[1], SENTENCES[0]], 'what was typed letter by letter is one');
    await page.reload();
    await history(2);
    await page.locator('.history li > :first-child').nth(1).click();
    await translated(TRANSLATIONS[0]);
    assert.equal(await page.inputValue('#source'), SENTENCES[0]);
    await latest(SENTENCES[0]);
    await page.click('#undo');
    assert.equal(await page.inputValue('#source'), SENTENCES[1]);
    await latest(SENTENCES[1]);
    await page.locator('.history li').first().locator('button').last().press('Enter');
    await history(1);
    assert.ok(await page.evaluate(() => document.activeElement.matches('.history li > :last-child')), 'the focus is on the next');
    await page.click('#history-keep');
    await history(0);
    await page.fill('#source', SENTENCES[0]);
    await translated(TRANSLATIONS[0]);
    await finished();
    // Whoever goes on to another text has meant the one before.
    await page.fill('#source', SENTENCES[1]);
    await translated(TRANSLATIONS[1]);
    await finished();
    await page.click('#clear');
    assert.equal(await page.evaluate(() => localStorage.getItem('dragoman history')), null, 'nothing is kept any more');
    await page.click('#history-keep');
    await page.click('[aria-controls=history]');
    assert.ok(await page.isHidden('#history'));
  });

  test('a link carries text and languages in its fragment, which no server sees, and loses nothing that was typed', async () => {
    await page.goto(site.url);
    await page.fill('#source', SENTENCES[0]);
    await translated(TRANSLATIONS[0]);
    const copied = await told(page, '#share', 'Link copied');
    await page.click('#share');
    await copied();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(new URL(link).search, '');
    assert.match(link, /#from=en&to=de&text=I\+like/);
    const seen = [];
    page.on('request', (request) => seen.push(request.url()));
    await page.fill('#source', 'Wait');
    await page.evaluate((text) => (location.hash = new URLSearchParams({ from: 'de', to: 'en', text })), 'Wo ist der Bahnhof?');
    await page.waitForFunction(() => /station/.test(document.querySelector('#target').innerText));
    assert.equal(await page.evaluate(() => location.hash), '', 'the text is not left in the address');
    await page.click('#undo');
    assert.equal(await page.inputValue('#source'), 'Wait');
    const other = await open();
    await other.goto(link);
    await other.waitForFunction((text) => document.querySelector('#source').value === text, SENTENCES[0]);
    await other.close();
    assert.ok(seen.every((url) => !/Bahnhof|like/.test(url.split('#')[0])));
  });

  test('parameters of the address are what the page begins with, once; what was typed before can be had back', async () => {
    await page.goto(site.url);
    await page.fill('#source', SENTENCES[0]);
    await translated(TRANSLATIONS[0]);
    await page.goto(`${site.url}?from=de&to=en&text=${encodeURIComponent('Wo ist der Bahnhof?')}`);
    await page.waitForFunction(() => /station/.test(document.querySelector('#target').innerText));
    assert.deepEqual([await page.inputValue('#from'), await page.inputValue('#to')], ['de', 'en']);
    assert.equal(await page.evaluate(() => location.search), '');
    await page.click('#undo');
    assert.equal(await page.inputValue('#source'), SENTENCES[0]);
    await page.fill('#source', SENTENCES[1]);
    await page.reload();
    await page.waitForFunction((text) => document.querySelector('#source').value === text, SENTENCES[1]);
    await page.goto(`${site.url}?from=xx&to=%00&text=`);
    await page.waitForFunction(() => document.querySelector('#to').value !== '');
    assert.equal(await page.inputValue('#source'), '');
  });

  test('texts are read aloud by voices of the device alone, a line at a time, and stop when asked', async () => {
    // No browser has voices here: a device that has some.
    await page.addInitScript(() => {
      window.spoken = [];
      const voices = [
        { lang: 'de-DE', localService: false, name: 'on a server' },
        { lang: 'de_DE', localService: true, name: 'on the device' },
        { lang: 'en-GB', localService: false, name: 'on a server' },
      ];
      window.SpeechSynthesisUtterance = class {
        constructor(text) {
          this.text = text;
        }
      };
      const stand_in = {
        addEventListener() {},
        getVoices: () => voices,
        speak: (utterance) => window.spoken.push(utterance),
        cancel: () => window.spoken.splice(0),
      };
      Object.defineProperty(window, 'speechSynthesis', { value: stand_in });
    });
    await page.goto(site.url);
    await page.fill('#source', `${SENTENCES[0]}\n\n${SENTENCES[1]}`);
    await finished();
    assert.ok(await page.isHidden('#read-source'), 'a voice that is elsewhere is none');
    await page.click('#read-target');
    const spoken = () => page.evaluate(() => window.spoken.map(({ text, lang, voice }) => [text, lang, voice.name]));
    assert.deepEqual(
      await spoken(),
      TRANSLATIONS.map((text) => [text, 'de', 'on the device']),
    );
    assert.equal(await page.innerText('#read-target'), 'Stop reading');
    await page.evaluate(() => window.spoken[1].onend());
    assert.equal(await page.innerText('#read-target'), 'Read aloud');
    await page.click('#read-target');
    await page.click('#read-target');
    assert.deepEqual(await spoken(), []);
  });
});
