/** `<dragoman-translate>` and `translateElement`, in Chromium and Firefox. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { before, test } from 'node:test';
import { inEachBrowser } from './support/browsers.mjs';
import { expected } from './support/expected.mjs';
import { PATIENCE } from './support/patience.mjs';
import { answers } from './support/site.mjs';

const SENTENCES = ['I like to read books in the evening.', 'My brother bought a new bicycle yesterday.'];
const TRANSLATIONS = await expected(SENTENCES);
const FRAGMENTS = 60;
const axeSource = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const FORM = `<!doctype html><html lang="en"><title>Form</title><link rel="icon" href="icons/dragoman.svg"><main><h1>Form</h1>
  <form id="form"><fieldset id="set"><legend>Message</legend>
  <dragoman-translate id="box" name="german" source-language="en" target-language="de" placeholder="Your message"></dragoman-translate>
  </fieldset><button>Send</button></form></main><script type="module" src="element.js"></script></html>`;

const ARTICLE = `<!doctype html><html lang="en"><title>Article</title><link rel="icon" href="icons/dragoman.svg"><main id="root">
  <h1 title="I like to read books in the evening.">Where is the train station?</h1>
  <p id="linked">Good morning! <a href="#x" id="link">My brother bought a new bicycle yesterday.</a></p>
  <pre id="pre"><code id="code">the_code()</code> is code.</pre>
  <p translate="no" id="no">Do not touch. <span translate="yes" id="yes">Good morning!</span></p>
  <p lang="fr" id="french">Où est la gare ?</p>
  <p lang="en-GB" id="british">Good
    morning!</p>
  <label>Name <input id="input" value="Good morning!" placeholder="Good morning!"></label><textarea id="area">Good morning!</textarea>
  <div contenteditable="true" id="editable">Good morning!</div>
  <p id="cut">Where is <a href="#map" id="map">the <b id="bold">station</b></a>?<!-- here --> Press <kbd id="key">F1</kbd> <img id="image" alt="" src="icons/dragoman.svg">now.</p>
  <div id="lines"><span id="first">Good</span> morning!<br>Where is the <em id="stress">station</em>?</div>
  <div id="far">FILLER</div></main></html>`;

inEachBrowser((environment) => {
  let site, page;

  before(async () => {
    site = environment.site;
    const far = Array.from({ length: 40 }, (_, index) => `<p class="far">I have ${index + 100} books.</p>`).join('');
    await writeFile(`${site.folder}/form.html`, FORM);
    await writeFile(`${site.folder}/article.html`, ARTICLE.replace('FILLER', `<div style="height: 5000px"></div>${far}`));
    page = await environment.browser.newPage();
  });

  const open = async (path) => {
    await page.goto(`${site.url}${path}`);
    await page.evaluate(async (patience) => {
      window.until = async (condition) => {
        for (const end = performance.now() + patience; !condition(); ) {
          if (performance.now() > end) throw new Error(`never: ${condition}`);
          await new Promise((go) => setTimeout(go, 20));
        }
      };
      window.type = (box, text) => {
        const area = box.shadowRoot.querySelector('textarea');
        area.focus();
        area.value = text;
        area.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
      };
    }, PATIENCE);
  };

  test('the element translates what is typed, and the form sends the translation', async () => {
    await open('form.html');
    const result = await page.evaluate(async () => {
      await customElements.whenDefined('dragoman-translate');
      const box = document.querySelector('#box');
      const changed = new Promise((resolve) => box.addEventListener('change', resolve, { once: true }));
      type(box, 'I like to read books in the evening.');
      await changed;
      const data = Object.fromEntries(new FormData(document.querySelector('#form')));
      const languages = [...box.shadowRoot.querySelectorAll('[lang]')].map((part) => part.lang);
      const events = { form: box.form?.id, value: box.value, translation: box.translation, data, languages };
      document.querySelector('#set').disabled = true;
      const disabled = box.shadowRoot.querySelector('textarea').disabled;
      document.querySelector('#set').disabled = false;
      document.querySelector('#form').reset();
      await until(() => box.translation === '');
      return { ...events, disabled, reset: box.value };
    });
    assert.deepEqual(result, {
      form: 'form',
      value: SENTENCES[0],
      translation: TRANSLATIONS[0],
      data: { german: TRANSLATIONS[0] },
      languages: ['en', 'de'],
      disabled: true,
      reset: '',
    });
  });

  test('custom properties set anywhere above the element are its theme', async () => {
    await open('form.html');
    const colours = await page.evaluate(async () => {
      await customElements.whenDefined('dragoman-translate');
      const [source, target] = ['source', 'target'].map((part) =>
        document.querySelector('#box').shadowRoot.querySelector(`[part=${part}]`),
      );
      const look = () => [
        getComputedStyle(source).backgroundColor,
        getComputedStyle(target).borderRadius,
        getComputedStyle(target).color,
      ];
      const before = look();
      document.body.style = '--dragoman-ground: rgb(1, 2, 3); --dragoman-radius: 7px; --dragoman-ink: rgb(4, 5, 6)';
      return { before, after: look() };
    });
    assert.deepEqual(colours.after, ['rgb(1, 2, 3)', '7px', 'rgb(4, 5, 6)']);
    assert.ok(colours.before.every((value, index) => value !== colours.after[index]));
  });

  test('changing the language translates anew', async () => {
    await open('form.html');
    const result = await page.evaluate(async () => {
      await customElements.whenDefined('dragoman-translate');
      const box = document.querySelector('#box');
      type(box, 'Wo ist der Bahnhof?');
      await until(() => box.translation !== '');
      box.setAttribute('source-language', 'de');
      box.setAttribute('target-language', 'en');
      await until(() => /station/.test(box.translation));
      return box.translation;
    });
    assert.match(result, /station/);
  });

  test('a model that cannot be had is said, keeps the form from being sent, and can be tried again', async () => {
    await open('form.html');
    site.rules.set('/weights/manifest.json', answers.status(500));
    const failed = await page.evaluate(async () => {
      await customElements.whenDefined('dragoman-translate');
      const box = document.querySelector('#box');
      const event = new Promise((resolve) => box.addEventListener('error', resolve, { once: true }));
      type(box, 'No.');
      const { detail } = await event;
      return {
        name: detail.name,
        status: box.shadowRoot.querySelector('[part=status]').textContent,
        valid: document.querySelector('#form').checkValidity(),
      };
    });
    assert.equal(failed.name, 'NetworkError');
    assert.match(failed.status, /500/);
    assert.equal(failed.valid, false);
    site.rules.clear();
    const retried = await page.evaluate(async () => {
      const box = document.querySelector('#box');
      box.shadowRoot.querySelector('button').click();
      await until(() => box.translation === 'Nein.');
      return document.querySelector('#form').checkValidity();
    });
    assert.equal(retried, true);
  });

  test('axe finds nothing on the element, empty, translated, and with an error', async () => {
    await open('form.html');
    const violations = async () => {
      const found = await page.evaluate(async () =>
        (await window.axe.run(document, { resultTypes: ['violations'] })).violations.map(
          ({ id, nodes }) => `${id}: ${nodes[0].html}`,
        ),
      );
      assert.deepEqual(found, []);
    };
    await page.evaluate(axeSource);
    await violations();
    await page.evaluate(async () => {
      const box = document.querySelector('#box');
      type(box, 'No.');
      await until(() => box.translation === 'Nein.');
    });
    await violations();
    await page.evaluate(async () => {
      const box = document.querySelector('#box');
      box.setAttribute('target-language', 'ja');
      await until(() => box.shadowRoot.querySelector('[part=status]').textContent);
    });
    await violations();
  });

  test('translateElement: prose is translated, the rest stays; listeners live; undo is exact', async () => {
    await open('article.html');
    const result = await page.evaluate(async () => {
      const { translateElement } = await import('/dragoman.js');
      const root = document.querySelector('#root');
      const before = document.documentElement.outerHTML;
      const nodes = [...root.querySelectorAll('*')];
      let clicks = 0;
      document.querySelector('#link').addEventListener('click', () => clicks++);
      const translation = await translateElement(root, { sourceLanguage: 'en', targetLanguage: 'de' });
      await translation.finished;
      const text = (id) => document.getElementById(id).textContent;
      document.querySelector('#link').click();
      const result = {
        heading: root.querySelector('h1').textContent,
        title: root.querySelector('h1').title,
        link: text('link'),
        linked: text('linked'),
        code: text('code'),
        no: text('no'),
        yes: text('yes'),
        french: text('french'),
        british: text('british'),
        input: [document.querySelector('#input').value, document.querySelector('#input').placeholder],
        area: text('area'),
        editable: text('editable'),
        far: root.querySelectorAll('.far')[39].textContent,
        lang: root.lang,
        clicks,
        same: nodes.length === root.querySelectorAll('*').length && nodes.every((node) => root.contains(node)),
      };
      translation.undo();
      return { ...result, exact: document.documentElement.outerHTML === before };
    });
    assert.equal(result.heading, 'Wo ist der Bahnhof?');
    assert.equal(result.title, TRANSLATIONS[0]);
    assert.equal(result.link, TRANSLATIONS[1]);
    assert.equal(result.linked, `Guten Morgen! ${result.link}`);
    assert.equal(result.yes, 'Guten Morgen!');
    assert.equal(result.british, 'Guten Morgen!');
    assert.equal(result.no, 'Do not touch. Guten Morgen!');
    assert.deepEqual([result.code, result.french], ['the_code()', 'Où est la gare ?']);
    assert.deepEqual([...result.input, result.area, result.editable], Array(4).fill('Good morning!'));
    assert.match(result.far, /139 Bücher/);
    assert.deepEqual([result.lang, result.clicks, result.same, result.exact], ['de', 1, true, true]);
  });

  test('translateElement: a sentence that elements cut is one, and they go with their words, as the same nodes', async () => {
    await open('article.html');
    const result = await page.evaluate(async () => {
      const { translateElement } = await import('/dragoman.js');
      const [root, cut, lines] = ['root', 'cut', 'lines'].map((id) => document.getElementById(id));
      const before = root.outerHTML;
      const texts = (top) => {
        const found = [];
        for (const walker = document.createTreeWalker(top, NodeFilter.SHOW_TEXT); walker.nextNode(); )
          found.push(walker.currentNode);
        return found;
      };
      const held = [...texts(cut), ...texts(lines)].map((text) => ({ text, parent: text.parentNode }));
      const elements = [...cut.querySelectorAll('*'), ...lines.querySelectorAll('*')];
      const heard = [];
      document.querySelector('#bold').addEventListener('click', ({ target }) => heard.push(target.id));
      document.querySelector('#map').focus();
      const translation = await translateElement(root, { sourceLanguage: 'en', targetLanguage: 'de' });
      await translation.finished;
      document.querySelector('#bold').click();
      const result = {
        cut: cut.innerHTML,
        lines: lines.innerHTML,
        heard,
        focus: document.activeElement.id,
        same: elements.every((element) => element.isConnected && document.getElementById(element.id || 'root')),
        held: held.every(({ text, parent }) => text.parentNode === parent),
      };
      // The page changes a part of the sentence: what is left of it is put back, and all of it translated anew.
      document.querySelector('#bold').firstChild.data = 'house';
      await until(() => /Haus/.test(cut.textContent));
      const changed = cut.textContent;
      document.querySelector('#first').remove();
      await until(() => lines.textContent.trim().startsWith('Morgen') || /^\s*[Mm]orgen/.test(lines.textContent));
      const shorter = lines.textContent;
      cut.append(' My brother bought a new bicycle yesterday.');
      await until(() => /Fahrrad/.test(cut.textContent));
      translation.undo();
      const after = { cut: cut.textContent, lines: lines.textContent };
      return { ...result, changed, shorter, after, before };
    });
    assert.equal(
      result.cut,
      'Wo ist <a href="#map" id="map">der <b id="bold">Bahnhof</b></a>?<!-- here --> Drücken ' +
        '<img id="image" alt="" src="icons/dragoman.svg">Sie jetzt <kbd id="key">F1</kbd>.',
    );
    assert.match(result.lines, /^<span id="first">Guten<\/span> Morgen!<br>Wo ist der <em id="stress">Bahnhof<\/em>\?$/);
    assert.deepEqual([result.heard, result.focus, result.same, result.held], [['bold'], 'map', true, true]);
    assert.match(result.changed, /^Wo ist das Haus\? Drücken Sie jetzt F1\./);
    assert.deepEqual(result.after, {
      cut: 'Where is the house? Press F1 now. My brother bought a new bicycle yesterday.',
      lines: ' morning!Where is the station?',
    });
  });

  test('translateElement: of real fragments no element is lost, moved out of its parent or doubled, and undo is exact', async () => {
    const { fragments } = JSON.parse(await readFile(new URL('../data/fragments.json', import.meta.url), 'utf8'));
    const sections = fragments.slice(0, FRAGMENTS).map((html) => `<section>${html}</section>`);
    await writeFile(`${site.folder}/fragments.html`, `<!doctype html><title>Fragments</title>${sections.join('\n')}`);
    await open('fragments.html');
    const result = await page.evaluate(async () => {
      const { translateElement } = await import('/dragoman.js');
      const holders = [...document.querySelectorAll('body > section')];
      const before = holders.map((holder) => holder.outerHTML);
      const family = () =>
        holders.map((holder) => [...holder.querySelectorAll('*')].map((element) => ({ element, parent: element.parentElement })));
      const families = family();
      const translation = await translateElement(document.body, { sourceLanguage: 'en', targetLanguage: 'de' });
      await translation.finished;
      const translated = holders.filter((holder, index) => holder.outerHTML !== before[index]).length;
      const kept = family().every(
        (now, index) =>
          now.length === families[index].length &&
          families[index].every(({ element, parent }) => element.parentElement === parent && holders[index].contains(element)),
      );
      translation.undo();
      return {
        translated,
        kept,
        different: before.filter((html, index) => holders[index].outerHTML !== html),
        count: holders.length,
      };
    });
    assert.equal(result.count, FRAGMENTS);
    assert.ok(result.translated > FRAGMENTS / 2, `${result.translated} were translated`);
    assert.deepEqual([result.kept, result.different], [true, []]);
  });

  test('translateElement: what is in view comes first; later changes follow; an abort stops it', async () => {
    await open('article.html');
    const result = await page.evaluate(async () => {
      const { translateElement } = await import('/dragoman.js');
      const root = document.querySelector('#root');
      scrollTo(0, document.body.scrollHeight);
      const order = [];
      new MutationObserver((records) =>
        order.push(...records.map(({ target }) => target.parentElement?.className || target.parentElement?.id)),
      ).observe(root, { subtree: true, characterData: true });
      const controller = new AbortController();
      // In a page that is not drawn work begins after 100 ms; a busy machine may need as long for the first frame.
      const later = window.setTimeout;
      window.setTimeout = (work, ms, ...rest) => later(work, ms === 100 ? 60_000 : ms, ...rest);
      const translation = await translateElement(root, { sourceLanguage: 'en', targetLanguage: 'de', signal: controller.signal });
      window.setTimeout = later;
      await translation.finished;
      const first = order.slice(0, 5);
      const added = document.createElement('p');
      added.textContent = 'Where is the train station?';
      root.append(added);
      await until(() => added.textContent === 'Wo ist der Bahnhof?');
      document.querySelector('#link').firstChild.data = 'Good morning!';
      await until(() => document.querySelector('#link').textContent === 'Guten Morgen!');
      root.querySelector('h1').title = 'Good morning!';
      await until(() => root.querySelector('h1').title === 'Guten Morgen!');
      controller.abort();
      const late = document.createElement('p');
      late.textContent = 'Good morning!';
      root.append(late);
      await new Promise((go) => setTimeout(go, 300));
      const after = late.textContent;
      translation.undo();
      return { first, after, added: added.textContent, link: document.querySelector('#link').textContent };
    });
    assert.deepEqual(new Set(result.first), new Set(['far']));
    assert.equal(result.after, 'Good morning!');
    assert.equal(result.added, 'Where is the train station?');
    assert.equal(result.link, 'Good morning!');
  });
});
