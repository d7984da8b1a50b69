/** Files of every kind without a translator: what is read as prose, and that all else stays as it is, to the byte. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { openDocument, translateFile } from '../../web/files.js';

const folder = new URL('fixtures/', import.meta.url);
const names = readdirSync(folder);
const fixture = (name) => new Uint8Array(readFileSync(new URL(name, folder)));
const bytes = (text) => new TextEncoder().encode(text);
const text = (content) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(content);

/** Letters of each segment, but for tags and references, by another function. */
const mapLetters = (html, map) =>
  html
    .split(/(<code.*?<\/code>|<[^>]*>|&#?\w+;)/)
    .map((piece, index) => (index % 2 ? piece : piece.replace(/\p{L}/gu, map)))
    .join('');
/** A translation that can be undone: the letters a to z thirteen places on, all others as they are. */
const rot13 = (html) =>
  mapLetters(html, (c) => (/[a-z]/i.test(c) ? String.fromCharCode(c.charCodeAt(0) + (c.toLowerCase() < 'n' ? 13 : -13)) : c));

const write = async (name, content, translate, language) => {
  const document = await openDocument(name, content);
  return document.write(document.segments.map(translate), language);
};
const translated = async (name, source, translate = (html) => mapLetters(html, (c) => c.toUpperCase()), language = undefined) =>
  text(await write(name, bytes(source), translate, language));

const isArchive = (name) => /\.(docx|pptx|odt|epub)$/.test(name);
const failure = (name) => (error) => error instanceof DOMException && error.name === name;

test('there is a fixture of every kind', async () => {
  const { endings } = await import('../../web/files.js');
  const aliases = ['.htm', '.markdown', '.pot', '.xlf'];
  const kinds = new Set(names.map((name) => name.slice(name.lastIndexOf('.'))));
  assert.deepEqual(
    endings.filter((ending) => !kinds.has(ending) && !aliases.includes(ending)),
    [],
  );
});

for (const name of names.filter((name) => !isArchive(name))) {
  test(`${name}: translated by itself it is the same, byte for byte`, async () => {
    const source = fixture(name);
    const document = await openDocument(name, source);
    assert.ok(document.segments.length > 1);
    assert.deepEqual(document.write(document.segments), source);
  });

  test(`${name}: what is written for a translation reads as that translation`, async () => {
    const source = fixture(name);
    const document = await openDocument(name, source);
    const there = document.write(document.segments.map(rot13));
    assert.notDeepEqual(there, source);
    // What was empty and is filled now (messages) is no segment any more.
    if (/\.(po|xliff)$/.test(name)) return;
    const again = await openDocument(name, there);
    const words = (html) => html.replace(/<[^>]*>/g, '');
    assert.deepEqual(
      again.segments.map(words),
      document.segments.map((html) => words(rot13(html))),
    );
    // All but what the writer has spelled in another way, which means the same.
    const back = (content) =>
      text(content)
        .replace(/\\(?=[[\]*])|(?<=\])\[the records\]/g, '')
        .replace('&amp;', '&');
    assert.equal(back(again.write(again.segments.map(rot13))), back(source));
  });
}

describe('encodings', () => {
  const sentence = 'Schöne Grüße.';
  const latin1 = Uint8Array.from(sentence, (c) => c.charCodeAt(0));
  const utf16 = (mark, littleEndian) => {
    const view = new DataView(new ArrayBuffer(2 * (mark.length + sentence.length)));
    for (const [index, c] of [...mark, ...sentence].entries()) view.setUint16(2 * index, c.charCodeAt(0), littleEndian);
    return new Uint8Array(view.buffer);
  };
  for (const [name, content] of [
    ['UTF-8', bytes(sentence)],
    ['UTF-8 with a mark', bytes(`\ufeff${sentence}`)],
    ['UTF-16, little end first', utf16('\ufeff', true)],
    ['UTF-16, big end first', utf16('\ufeff', false)],
    ['UTF-16 without a mark', utf16('', true)],
    ['Latin-1', latin1],
  ]) {
    test(`${name} is read, and written as it was`, async () => {
      const document = await openDocument('a.txt', content);
      assert.deepEqual(document.segments, [sentence]);
      assert.deepEqual(document.write([sentence]), content);
      const letters = document.write(['ß']).length - document.write(['']).length;
      assert.equal(letters, name === 'Latin-1' ? 1 : 2);
    });
  }

  test('a translation that Latin-1 has no letters for becomes UTF-8; in HTML, numbers', async () => {
    assert.equal(text((await openDocument('a.txt', latin1)).write(['Łódź'])), 'Łódź');
    const page = Uint8Array.from('<meta charset="iso-8859-1"><p>Grün', (c) => c.charCodeAt(0));
    const written = (await openDocument('a.html', page)).write(['Łódź']);
    assert.equal(String.fromCharCode(...written), '<meta charset="iso-8859-1"><p>&#321;ód&#378;');
    const messages = Uint8Array.from('msgid ""\nmsgstr "charset=iso-8859-1\\n"\n\nmsgid "Grün"\nmsgstr ""\n', (c) =>
      c.charCodeAt(0),
    );
    const document = await openDocument('a.po', messages);
    assert.throws(() => document.write(['Łódź']), failure('DataError'));
  });

  for (const [what, content] of [
    ['zeros', Uint8Array.of(65, 0, 0, 66, 0, 67)],
    ['half of a UTF-16 character', Uint8Array.of(0xff, 0xfe, 65, 0, 66)],
    ['an encoding that nobody knows', Uint8Array.from('<meta charset="klingon"><p>Gr\xfcn', (c) => c.charCodeAt(0))],
    ['an encoding that cannot be written', Uint8Array.from('<meta charset="shift_jis"><p>\x82\xa0', (c) => c.charCodeAt(0))],
    ['damaged UTF-8', Uint8Array.of(...bytes('Grüße, schöne Grüße'), 0xff)],
    ['a ZIP archive', Uint8Array.of(0x50, 0x4b, 3, 4, 0, 0, 0, 0)],
  ]) {
    test(`${what}: a DataError`, () => assert.rejects(openDocument('a.html', content), failure('DataError')));
  }
});

test('plain text: a line that was full goes on, others end', async () => {
  const { segments } = await openDocument('notes.txt', fixture('notes.txt'));
  assert.deepEqual(segments.slice(0, 4), [
    'The museum',
    'The museum, which was built in 1889, stands at the end of the main street. It <img id="0">is closed on Mondays; ' +
      'on all other days its doors open at nine in the morning <img id="1">and close at six in the evening.',
    '* Children do not pay. Please ask for a ticket at the desk, where you can <img id="0">leave your coats, too.',
    '* Dogs have to wait outside.',
  ]);
  assert.ok(segments.includes('Roses are red,'));
  const full = `${'It is as it was. '.repeat(4)}`.trim();
  assert.deepEqual((await openDocument('a.txt', bytes(`${full}\n${full}\n`))).segments, [full, full]);
});

test('ends of lines go where their words are, and two of them are one', async () => {
  const source = `  ${'a'.repeat(50)} b\n  ccccc ddd\n`;
  const written = (translation) => translated('a.txt', source, () => translation);
  assert.equal(await written('x <img id="0">y'), '  x\n  y\n');
  assert.equal(await written('x y<img id="0">'), '  x y\n');
  assert.equal(await written('<img id="0">x y'), '  x y\n');
});

test('Markdown: marks go with their words, and what is text stays text', async () => {
  assert.equal(await translated('a.md', 'A *b* [c](d "e") `f`.\n'), 'A *B* [C](d "e") `f`.\n');
  assert.equal(
    await translated('a.md', 'An [old one] and [it][].\n\n[old one]: x\n[it]: y\n'),
    'AN [OLD ONE][old one] AND [IT][it].\n\n[old one]: x\n[it]: y\n',
  );
  assert.equal(await translated('a.md', 'word\n', () => '1. *a* [b] # &amp;lt; c|d'), '1\\. \\*a\\* \\[b\\] # \\&lt; c|d\n');
  assert.equal(
    await translated('a.md', '| a |\n|---|\n| word |\n', (html) => (html === 'word' ? 'c|d' : html)),
    '| a |\n|---|\n| c\\|d |\n',
  );
  assert.equal(await translated('a.md', '> one\n> two\n', (html) => html), '> one\n> two\n');
  assert.equal(await translated('a.md', '- [ ] do\n'), '- [ ] DO\n');
});

test('HTML: the language of the document is the one of the translation', async () => {
  const source = '<html class=a lang=\'en\'><p lang="fr">Bonjour';
  assert.equal(await translated('a.html', source, (html) => html, 'de'), '<html class=a lang="de"><p lang="fr">Bonjour');
});

test('subtitles: sentences over two lines are one, two voices are two', async () => {
  const { segments } = await openDocument('film.srt', fixture('film.srt'));
  assert.deepEqual(segments, [
    '<span id="0">Good morning, ladies <img id="1">and gentlemen.</span>',
    'Where is the station?',
    'Behind the bridge.',
    '<img id="0">The train leaves at nine.',
  ]);
});

test('messages: only those without a translation get one; what a program fills in is a word', async () => {
  const name = 'messages.po';
  const { segments } = await openDocument(name, fixture(name));
  assert.deepEqual(segments.slice(0, 4), [
    'Good morning, <code id="0">%s</code>!',
    '<code id="0">%d</code> book is missing.',
    '<code id="0">%d</code> books are missing.',
    'Open the <span id="0">door</span>',
  ]);
  const written = text(await write(name, fixture(name), (html) => html.replace('book', '"Buch"\t'), 'de-AT'));
  assert.match(written, /msgstr\[0\] "%d \\"Buch\\"\\t is missing."\nmsgstr\[1\] "%d \\"Buch\\"\\ts are/);
  assert.match(written, /"Language: de_AT\\n"/);
  assert.match(written, /msgstr "Fertig\."/);
});

test('XLIFF: units without a target get one, beside the source; the file says which language', async () => {
  const written = text(await write('messages.xliff', fixture('messages.xliff'), (html) => html.replace('door', 'Tür'), 'de'));
  const expected = text(fixture('messages.xliff'))
    .replace('datatype="plaintext"', '$& target-language="de"')
    .replace('<target state="new"/>', '<target state="new">Open the <g id="1">Tür</g> &amp; the window.</target>');
  assert.equal(written, expected);
  const two = (inside) =>
    `<xliff version="2.0" srcLang="en" trgLang="xx"><file id="f"><unit id="u"><segment>${inside}</segment></unit></file></xliff>`;
  const source = '<source>A <pc id="1">b</pc><ph id="2"/></source>';
  assert.equal(
    await translated('a.xlf', two(source), () => '<span id="0">x</span> &lt;<img id="1">', 'de'),
    two(`${source}<target><pc id="1">x</pc> &lt;<ph id="2"/></target>`).replace('"xx"', '"de"'),
  );
});

test('tables: prose is translated, keys are not; what needs quotation marks gets them', async () => {
  const source = 'id;text\nA-1;Good morning\nB;Hello\n';
  assert.equal(await translated('a.csv', source), 'ID;TEXT\nA-1;GOOD MORNING\nB;HELLO\n');
  assert.equal(
    await translated('a.csv', source, () => 'x; "y"'),
    '"x; ""y""";"x; ""y"""\nA-1;"x; ""y"""\n"x; ""y""";"x; ""y"""\n',
  );
});

test('an empty file is one without segments', async () => {
  for (const name of ['a.txt', 'a.md', 'a.html', 'a.srt', 'a.vtt', 'a.po', 'a.csv', 'a.xliff']) {
    const document = await openDocument(name, new Uint8Array());
    assert.deepEqual([document.segments, [...document.write([])]], [[], []], name);
  }
});

test('a file of another kind than its name says is an error', async () => {
  await assert.rejects(openDocument('a.pdf', bytes('x')), failure('NotSupportedError'));
  await assert.rejects(openDocument('constructor', bytes('x')), failure('NotSupportedError'));
  for (const name of ['a.srt', 'a.vtt', 'a.po'])
    await assert.rejects(openDocument(name, bytes('Good morning!\n')), failure('DataError'), name);
  await assert.rejects(openDocument('a.csv', bytes('"a,b\n')), failure('DataError'));
});

test('whatever is in a text, reading it takes time in proportion', async () => {
  const long = 300_000;
  for (const [name, source] of [
    ['a.txt', `a${' '.repeat(long)}b`],
    ['a.txt', `${'word '.repeat(12)}\n`.repeat(long / 60)],
    ['a.md', `a${' '.repeat(long)}b\n`],
    ['a.csv', `${'1'.repeat(long)} a,"${'"'.repeat(long)}`],
    ['a.srt', `00:01.000 --> 00:02.000\n${'<a '.repeat(long / 10)}`],
    ['a.po', `msgid "${'%(a'.repeat(long / 10)} x"\nmsgstr ""\n`],
  ]) {
    const begun = performance.now();
    await openDocument(name, bytes(source)).catch(failure('DataError'));
    assert.ok(performance.now() - begun < 10_000, `${name} ${source.slice(0, 10)}`);
  }
});

test('each text is translated once, in order of need; one failure ends all; an abort is an abort', async () => {
  const seen = [];
  const translator = {
    targetLanguage: 'de',
    translate: async (html, { format }) => {
      seen.push([html, format]);
      return `${html}!`;
    },
  };
  const progress = [];
  const onProgress = ({ done, total }) => progress.push([done, total]);
  const result = await translateFile(bytes('one\ntwo\none\n'), 'a.txt', translator, { onProgress });
  assert.equal(text(result), 'one!\ntwo!\none!\n');
  assert.deepEqual(seen, [
    ['one', 'html'],
    ['two', 'html'],
  ]);
  assert.deepEqual(progress, [
    [0, 9],
    [6, 9],
    [9, 9],
  ]);
  const failing = { translate: () => Promise.reject(new DOMException('no', 'OperationError')) };
  await assert.rejects(translateFile(bytes('one'), 'a.txt', failing), failure('OperationError'));
  const signal = AbortSignal.abort();
  await assert.rejects(translateFile(bytes('one'), 'a.txt', translator, { signal }), failure('AbortError'));
  const broken = { translate: async () => 'no tags' };
  await assert.rejects(translateFile(fixture('readme.md'), 'a.md', broken), failure('DataError'));
});
