/** HTML in, HTML out: tags go with their words, whatever the HTML, the translation and the alignment are. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { decode, encode } from '../../web/markup/character-references.js';
import { readHtml, writeHtml } from '../../web/markup/html.js';
import { tokenize } from '../../web/markup/tokens.js';
import { weave } from '../../web/markup/weave.js';
import { prose, tags } from './html-parts.mjs';

/** Numbers that are the same on every run. @param {number} seed */
function random(seed) {
  let state = seed;
  return (/** @type {number} */ below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** @param {string} text @returns {[number, number][]} */
const words = (text) =>
  [...text.matchAll(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu)].map(({ 0: word, index }) => [index, index + word.length]);

/**
 * A translation of the words one by one into an order of one's own, aligned as it is, or at random.
 * @param {string} text
 * @param {(i: number, count: number) => number} place where word i of the translation comes from; -1: nowhere
 * @returns {{translation: string, words: import('../../web/markup/weave.js').Words}}
 */
function translate(text, place) {
  const source = words(text);
  /** @type {[number, number][]} */
  const target = [];
  /** @type {[number, number, number][]} */
  const links = [];
  let translation = '';
  for (let i = 0; i < source.length; i++) {
    const from = place(i, source.length);
    const word = from < 0 ? 'neu' : text.slice(...source[from]);
    if (translation) translation += ' ';
    target.push([translation.length, translation.length + word.length]);
    translation += word;
    if (from >= 0) links.push([from, i, 0.9]);
  }
  return { translation, words: { source, target, links } };
}

/**
 * @param {string} html
 * @param {(text: string) => ReturnType<typeof translate>} how
 */
function translateHtml(html, how) {
  return readHtml(html)
    .map(({ html: raw, section }) => {
      if (!section) return raw;
      const { translation, words: aligned } = how(section.text);
      return section.lead + writeHtml(weave(section, translation, aligned)) + section.trail;
    })
    .join('');
}

const backwards = (/** @type {string} */ text) => translate(text, (i, count) => count - 1 - i);
const asItIs = (/** @type {string} */ text) => ({
  translation: text,
  words: { source: words(text), target: words(text), links: words(text).map((_, i) => [i, i, 1]) },
});

/** What is read, without blanks. @param {string} html */
const squeezed = (html) => prose(html).replace(/\s+/g, '');

const PIECES = (
  '<b>|</b>|<i class="a > b">|</i>|<a href=x>|</a>|<p>|</p>|<br>|<img src="a.png" alt="a b">|<!-- c -->|<code>f(x)</code>|<span>|</span>|' +
  '<div>|</div>|<B>|</B >|<em/>|</em>|<|>|<!|</>|</ x>|<?php ?>|&amp;|&lt;|&uuml;|&foo;|&#x41;|&|<pre> a\n b </pre>|<script>if (a<b) x="</b>"</script>|' +
  '<b translate="no">Foo</b>|https://a.example/b?c=d|me@a.example|<svg><path d="M0"/></svg>|<x-y>|</x-y>|<td|<a href="|<wbr>|\n|  |\t|. |, |! |🐈|' +
  "Z9|one|two|three|Haus|Größe|12|3.5|don't|\u00a0|<!-->|<textarea><b></textarea>|<kbd>|</kbd>|<ul><li>|</ul>"
).split('|');

test('tokens are cut where a browser cuts them, and joined are the input', () => {
  const cut = (/** @type {string} */ html) => tokenize(html).map(({ kind, html: text }) => `${kind} ${text}`);
  assert.deepEqual(cut('a<b c="d>e" f=\'>\' g=h/>i</b x>j'), [
    'text a',
    'start <b c="d>e" f=\'>\' g=h/>',
    'text i',
    'end </b x>',
    'text j',
  ]);
  assert.deepEqual(cut('1 < 2 <3 <!-- <b> --> <!doctype html></ x>&lt;'), [
    'text 1 < 2 <3 ',
    'other <!-- <b> -->',
    'text  ',
    'other <!doctype html>',
    'other </ x>',
    'text &lt;',
  ]);
  assert.deepEqual(cut('<!-->a<!--->b<!-- c --!>d<!-- e'), [
    'other <!-->',
    'text a',
    'other <!--->',
    'text b',
    'other <!-- c --!>',
    'text d',
    'other <!-- e',
  ]);
  assert.deepEqual(cut('<script>a<b></i></SCRIPT >x<a href="'), [
    'start <script>',
    'other a<b></i>',
    'end </SCRIPT >',
    'text x',
    'other <a href="',
  ]);
  assert.deepEqual(cut('<a b==c"d>e"f="\n">g'), ['start <a b==c"d>', 'text e"f="\n">g']);
  assert.deepEqual(cut('<title>a<b></title>'), ['start <title>', 'text a<b>', 'end </title>']);
});

test('character references are those of HTML, and come back as characters', () => {
  assert.deepEqual(decode('&uuml;&Uuml;&nbsp;&szlig;&euro;&hellip;&#228;&#xE4;&#150;&#0;'), ['üÜ\u00a0ß€…ää–\ufffd']);
  assert.deepEqual(decode('AT&T &amp &ampx &notit; &constructor; &x;'), [
    'AT&T & &x ¬it; ',
    { unknown: '&constructor;' },
    ' ',
    { unknown: '&x;' },
  ]);
  assert.equal(encode('a < b & c > "d"\u00a0'), 'a &lt; b &amp; c &gt; "d"&nbsp;');
});

test('tags go with their words', () => {
  const cases = [
    ['<b>red</b> house', 'house <b>red</b>'],
    ['Click <a href="x">the <b>red</b> house</a>', '<a href="x">house <b>red</b> the</a> Click'],
    ['a <code>f()</code> b', 'b <code>f()</code> a'],
    ['see https://a.example/b?c=d now', 'now https://a.example/b?c=d see'],
    ['a<br>b c', 'a<br>c b'],
    ['<p>  a b\n</p>', '<p>  b a\n</p>'],
    ['<i>a b<p>c d</i> e', '<i>b a<p>e d c</i>'.replace('e d c</i>', 'e</i> d c')],
    ['a <span translate="no">Foo bar</span> &amp; b', 'b &amp; <span translate="no">Foo bar</span> a'],
    ['<title>a &lt; b</title>', '<title>b &lt; a</title>'],
  ];
  for (const [html, expected] of cases) {
    const result = translateHtml(html, backwards);
    if (!html.includes('<p>c d')) assert.equal(result, expected);
    assert.deepEqual(tags(result), tags(html));
  }
});

test('nothing is changed where nothing is translated', () => {
  const next = random(1);
  for (let run = 0; run < 3000; run++) {
    const html = Array.from({ length: next(25) }, () => PIECES[next(PIECES.length)]).join(next(2) ? ' ' : '');
    assert.equal(
      tokenize(html)
        .map((token) => token.html)
        .join(''),
      html,
    );
    assert.equal(
      readHtml(html)
        .map((part) => part.html)
        .join(''),
      html,
    );
    const result = translateHtml(html, asItIs);
    assert.deepEqual(tags(result), tags(html), html);
    assert.equal(squeezed(result), squeezed(html), html);
  }
});

test('whatever the translation and its alignment: each tag once, and the text between them is the translation', () => {
  const next = random(2);
  for (let run = 0; run < 6000; run++) {
    const html = Array.from({ length: next(30) }, () => PIECES[next(PIECES.length)]).join(next(2) ? ' ' : '');
    /** @type {string[]} */
    const translations = [];
    const result = translateHtml(html, (text) => {
      const found = translate(text, (i, count) => [i, count - 1 - i, next(count), next(4) ? next(count) : -1][run % 4]);
      translations.push(found.translation);
      return found;
    });
    assert.deepEqual(tags(result), tags(html), html);
    // Placeholders do not come twice here unless a word does: then what they stand for still does once.
    const known = readHtml(html).every(({ section }) => !section || !/[Q-Z][2-9]/.test(section.text));
    if (!known) continue;
    const others = new Set(tokenize(html).flatMap((token) => (token.kind === 'other' ? token.html : [])));
    const rest = readHtml(html).map(({ html: raw, section }) =>
      section ? translations.shift() : others.has(raw) ? '' : squeezed(raw),
    );
    assert.equal(squeezed(result), rest.join('').replace(/\s+/g, ''), html);
  }
});

test('elements nest as they did', () => {
  const next = random(3);
  const build = (/** @type {number} */ depth) => {
    let html = '';
    for (let i = next(5); i >= 0; i--) {
      const name = ['b', 'i', 'a', 'em'][next(4)];
      html += depth > 0 && next(2) ? `<${name} n=${next(1000000)}>${build(depth - 1)}</${name}> ` : `w${next(100)} `;
    }
    return html;
  };
  /** Which element each is in. @param {string} html */
  const parents = (html) => {
    /** @type {string[]} */
    const open = [];
    /** @type {Record<string, string>} */
    const found = {};
    for (const token of tokenize(html)) {
      if (token.kind === 'start') {
        found[token.html] = open.at(-1) ?? '';
        open.push(token.html);
      } else if (token.kind === 'end') {
        assert.equal(tokenize(open.pop() ?? '')[0].name, token.name);
      }
    }
    return found;
  };
  for (let run = 0; run < 1000; run++) {
    const html = build(4);
    const result = translateHtml(html, (text) => translate(text, (_, count) => next(count)));
    assert.deepEqual(parents(result), parents(html));
  }
});

test('hostile input takes no time and no stack', () => {
  for (const piece of ['<b>', '</b>', '<code>', '<', '<!--', '<a "', '<b></i>', '&amp', '<i><b></i>', 'x<b>y ']) {
    const html = piece.repeat(20_000);
    const begun = performance.now();
    assert.deepEqual(tags(translateHtml(html, asItIs)), tags(html));
    assert.ok(performance.now() - begun < 20_000, piece);
  }
});

test('200 fragments of real documentation: none is broken', async () => {
  /** @type {string[]} */
  const fragments = JSON.parse(await readFile(new URL('../data/fragments.json', import.meta.url), 'utf8')).fragments;
  assert.equal(fragments.length, 200);
  for (const html of fragments) {
    for (const how of [asItIs, backwards]) {
      const result = translateHtml(html, how);
      assert.deepEqual(tags(result), tags(html));
      for (const [code] of html.matchAll(/<(code|tt)\b.*?<\/\1>/gs)) assert.ok(result.includes(code), code);
    }
    assert.equal(squeezed(translateHtml(html, asItIs)), squeezed(html));
  }
});
