/** Files that are archives of XML: what is prose in them, that all else stays, and that hostile ones are refused. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { unzipSync, zipSync } from 'fflate';
import { openDocument } from '../../web/files.js';

const fixture = (name) => new Uint8Array(readFileSync(new URL(`fixtures/${name}`, import.meta.url)));
const bytes = (text) => new TextEncoder().encode(text);
const members = (archive) =>
  Object.fromEntries(
    Object.entries(unzipSync(archive)).map(([name, content]) => [name, Buffer.from(content).toString('latin1')]),
  );
const archive = (files) =>
  zipSync(
    Object.fromEntries(
      Object.entries(files).map(([name, content]) => [name, typeof content === 'string' ? bytes(content) : content]),
    ),
  );
const shout = (html) =>
  html
    .split(/(<[^>]*>|&#?\w+;)/)
    .map((piece, index) => (index % 2 ? piece : piece.toUpperCase()))
    .join('');
const failure = (name) => (error) => error instanceof DOMException && error.name === name;

const SEGMENTS = {
  'mill.docx': [
    'The old mill',
    'The mill, which <span id="0">stands by the river</span>, was built in 1889.<img id="1"> See <span id="2"><span id="3">its page</span></span> for more &amp; better.',
    'Monday',
    'It is closed.',
    'Children do not pay.',
    'The old mill, page ',
    'The note.',
  ],
  'mill.pptx': [
    'Please speak slowly.',
    'The old mill',
    '<span id="0">It stands </span><img id="1">by the river<img id="2"><span id="3">.</span>',
    'Children do not pay.',
  ],
  'mill.odt': [
    'The old mill',
    'The mill, which <span id="0">stands by the river</span>, was built in 1889. See its\npage for more.',
    'Children do not pay.',
    'Dogs have to wait <span id="0">outside</span>.',
    'Day',
    'Open',
    'Monday',
    'It is closed.',
    'A sentence with a note <img id="0"> in it.',
    'The note.',
  ],
  'mill.epub': [
    'The old mill &amp; the river',
    '<a href="chapter%201.xhtml">The first chapter</a>',
    'The first chapter',
    'The first chapter',
    '<a id="c1"/>The first chapter',
    'It was a <em>dark</em> night.',
    'The mill&#160;stood still.',
    'Nobody was there<a href="#n1"><sup>1</sup></a>.',
  ],
};

for (const [name, segments] of Object.entries(SEGMENTS)) {
  test(`${name}: what is prose; translated by itself it is the same, each member to the byte`, async () => {
    const source = fixture(name);
    const document = await openDocument(name, source);
    assert.deepEqual(document.segments, segments);
    const same = document.write(document.segments);
    assert.deepEqual(members(same), members(source));
    assert.deepEqual(Object.keys(members(same)), Object.keys(members(source)), 'in the same order');
  });

  test(`${name}: a translation is read as it was written, and all that is no prose is the same`, async () => {
    const document = await openDocument(name, fixture(name));
    const written = document.write(document.segments.map(shout));
    assert.deepEqual((await openDocument(name, written)).segments, segments.map(shout));
    const low = (archive) =>
      Object.entries(members(archive)).map(([name, content]) => [
        name,
        content.toLowerCase().replace(/\s+/g, ' ').replaceAll('<w:tab/></w:r><w:r>', '<w:tab/>'),
      ]);
    assert.deepEqual(low(written), low(fixture(name)));
  });
}

test('EPUB: the archive begins with its type, not packed; the book says its new language', async () => {
  const document = await openDocument('mill.epub', fixture('mill.epub'));
  const written = document.write(document.segments, 'de');
  assert.equal(Buffer.from(written.subarray(30, 58)).toString(), 'mimetypeapplication/epub+zip');
  assert.match(members(written)['EPUB/package.opf'], /<dc:language>de<\/dc:language>/);
  assert.match(members(written)['EPUB/chapter 1.xhtml'], /<html xmlns="[^"]*" xml:lang="de">/);
  const blank = document.write(document.segments.map(() => 'a&nbsp;b'));
  assert.match(members(blank)['EPUB/chapter 1.xhtml'], /<title>a&#160;b<\/title>/);
});

const W = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const word = (paragraphs) =>
  archive({ 'word/document.xml': `<w:document xmlns:w="${W}"><w:body>${paragraphs}</w:body></w:document>` });
const run = (text, style = '') => `<w:r>${style}<w:t xml:space="preserve">${text}</w:t></w:r>`;

/** The segments of some paragraphs, and what becomes of them. */
async function translatedWord(paragraphs, translate = shout) {
  const document = await openDocument('a.docx', word(paragraphs));
  const xml = members(document.write(document.segments.map(translate)))['word/document.xml'];
  return { segments: document.segments, xml: /<w:body>(.*)<\/w:body>/s.exec(xml)[1] };
}

describe('Word', () => {
  test('runs that differ in nothing are one; hints at spelling go', async () => {
    const source = `<w:p w:rsidR="1"><w:pPr><w:jc/></w:pPr><w:r w:rsidR="2"><w:t>The hou</w:t></w:r><w:proofErr w:type="spellStart"/>${run('se is old.')}</w:p>`;
    const { segments, xml } = await translatedWord(source);
    assert.deepEqual(segments, ['The house is old.']);
    assert.equal(xml, `<w:p w:rsidR="1"><w:pPr><w:jc/></w:pPr>${run('THE HOUSE IS OLD.')}</w:p>`);
    assert.equal((await translatedWord(source, (html) => html)).xml, source);
  });

  test('a tab and the end of a line end a sentence, also within a link', async () => {
    const { segments, xml } = await translatedWord(
      `<w:p><w:hyperlink w:anchor="a">${run('One')}<w:r><w:tab/><w:t>2</w:t><w:br/><w:t>three</w:t></w:r></w:hyperlink></w:p>`,
    );
    assert.deepEqual(segments, ['One', 'three']);
    assert.equal(
      xml,
      `<w:p><w:hyperlink w:anchor="a">${run('ONE')}<w:r><w:tab/></w:r>${run('2')}<w:r><w:br/></w:r>${run('THREE')}</w:hyperlink></w:p>`,
    );
  });

  test('fields: what they show is a word, but links are links; one over several paragraphs is a frame', async () => {
    const char = (type) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
    const field = (code, shown) =>
      `${char('begin')}<w:r><w:instrText> ${code} </w:instrText></w:r>${char('separate')}${shown}${char('end')}`;
    const page = field('PAGEREF x', run('page 3'));
    const link = field('HYPERLINK "http://a"', run('here'));
    const { segments, xml } = await translatedWord(
      `<w:p>${run('See ')}${page}${run(' or ')}${link}${run('.')}</w:p><w:p>${char('begin')}${run('Contents')}</w:p>`,
    );
    assert.deepEqual(segments, ['See <code id="0">page 3</code> or <span id="1">here</span>.', 'Contents']);
    assert.match(xml, /<w:t xml:space="preserve">page 3<\/w:t>.*>HERE</);
    assert.equal(xml.match(/w:fldChar /g).length, 7);
  });

  test('deleted text stays deleted; inserted text is text; formulas stay', async () => {
    const { segments, xml } = await translatedWord(
      `<w:p>${run('A ')}<w:del><w:r><w:delText>bad</w:delText></w:r></w:del><w:ins>${run('good')}</w:ins>${run(' house.')}</w:p>`,
    );
    assert.deepEqual(segments, ['A <img id="0"><span id="1">good</span> house.']);
    assert.match(xml, /<w:delText>bad<\/w:delText>.*<w:ins><w:r><w:t xml:space="preserve">GOOD/);
  });

  test('paragraphs in paragraphs: text boxes', async () => {
    const box = (text) =>
      `<w:r><w:pict><w:txbxContent><w:p>${run(text)}</w:p><w:p>${run('42')}</w:p></w:txbxContent></w:pict></w:r>`;
    const source = (outer, inner, last) => `<w:p>${run(outer)}${box(inner)}${run(last)}</w:p><w:p>${box(inner)}</w:p>`;
    const { segments, xml } = await translatedWord(source('Outside ', 'inside', ' the box.'));
    assert.deepEqual(segments, ['Outside <img id="0"> the box.', 'inside', 'inside']);
    assert.equal(xml, source('OUTSIDE ', 'INSIDE', ' THE BOX.'));
    const inner = await translatedWord(source('Outside ', 'inside', ' the box.'), (html) =>
      html === 'inside' ? 'INSIDE' : html,
    );
    assert.equal(inner.xml, source('Outside ', 'INSIDE', ' the box.'));
  });
});

test('OpenDocument: links, notes with paragraphs of their own, frames, deleted text', async () => {
  const content = (first, link, note, last) =>
    `<office:text><text:tracked-changes><text:p>Old.</text:p></text:tracked-changes><text:p>${first}<text:a>${link}</text:a>` +
    `<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>${note}</text:p></text:note-body></text:note>${last}</text:p></office:text>`;
  const document = await openDocument(
    'a.odt',
    archive({ 'content.xml': content('See ', 'here', 'Note.', ' too.<text:tab/><text:span/>End.') }),
  );
  assert.deepEqual(document.segments, ['See <span id="0">here</span><img id="1"> too.', 'End.', 'Note.']);
  assert.equal(
    members(document.write(document.segments.map(shout)))['content.xml'],
    content('SEE ', 'HERE', 'NOTE.', ' TOO.<text:tab/><text:span/>END.'),
  );
});

describe('hostile archives are refused', () => {
  const docx = (xml, more = {}) => archive({ 'word/document.xml': xml, ...more });
  const entity = (declaration, use) =>
    `<!DOCTYPE x [${declaration}]><w:document xmlns:w="${W}"><w:body><w:p>${run(use)}</w:p></w:body></w:document>`;
  const laughs = Array.from({ length: 9 }, (_, i) => `<!ENTITY a${i + 1} "${`&a${i};`.repeat(10)}">`).join('');
  const cases = {
    'a file of the system as an entity': docx(entity('<!ENTITY a SYSTEM "file:///etc/passwd">', '&a;')),
    'entities that grow': docx(entity(`<!ENTITY a0 "ha">${laughs}`, '&a9;')),
    'XML that is not well formed': docx('<w:document><w:body></w:document>'),
    'no XML at all': docx('Good morning'),
    'elements without end': docx('<a>'.repeat(100_000)),
    'an archive of something else': archive({ 'a.txt': 'Good morning' }),
    'a name that leads out of it': docx('<w:document/>', { '../../etc/passwd': 'x' }),
    'a name that begins at the root': docx('<w:document/>', { '/etc/passwd': 'x' }),
    'the first half of an archive': fixture('mill.docx').subarray(0, 5000),
    'the archive without its end': fixture('mill.docx').subarray(0, -30),
    nothing: new Uint8Array(),
  };
  for (const [what, content] of Object.entries(cases)) {
    test(what, () => assert.rejects(openDocument('a.docx', content), failure('DataError')));
  }

  test('a damaged one is refused, or gives a document; nothing else', async () => {
    const source = fixture('mill.docx');
    let refused = 0;
    for (let at = 0; at < source.length; at += 37) {
      const damaged = source.slice();
      damaged[at] ^= 0x55;
      try {
        const document = await openDocument('a.docx', damaged);
        document.write(document.segments.map(shout));
      } catch (error) {
        assert.ok(['DataError', 'QuotaExceededError'].includes(error.name), `${at}: ${error.stack}`);
        refused++;
      }
    }
    assert.ok(refused > 20);
  });

  test('a bomb: by what it claims, and by what it claims not', async () => {
    const bomb = docx('<w:document/>', { 'word/media/a.bin': new Uint8Array(300 << 20) });
    assert.ok(bomb.length < 1 << 20);
    await assert.rejects(openDocument('a.docx', bomb), failure('QuotaExceededError'));
    // Each of the two places where the size stands says 100 bytes.
    const lying = new DataView(bomb.buffer.slice());
    for (let at = 0; at < bomb.length - 4; at++) if (lying.getUint32(at, true) === 300 << 20) lying.setUint32(at, 100, true);
    const before = process.memoryUsage().arrayBuffers;
    await openDocument('a.docx', new Uint8Array(lying.buffer)).then(
      (document) => document.write([]),
      (error) => assert.equal(error.name, 'DataError'),
    );
    assert.ok(process.memoryUsage().arrayBuffers - before < 50 << 20);
  });

  test('books: no container, one that leads nowhere', async () => {
    const container = (path) => `<container><rootfiles><rootfile full-path="${path}"/></rootfiles></container>`;
    for (const files of [
      {},
      { 'META-INF/container.xml': '<container/>' },
      { 'META-INF/container.xml': container('../../etc/passwd') },
    ]) {
      await assert.rejects(openDocument('a.epub', archive({ a: '', ...files })), failure('DataError'));
    }
    const opf =
      '<package><manifest><item href="../../../a.xhtml" media-type="application/xhtml+xml"/><item href="%zz" media-type="application/xhtml+xml"/></manifest></package>';
    const { segments } = await openDocument(
      'a.epub',
      archive({ 'META-INF/container.xml': container('b/c.opf'), 'b/c.opf': opf }),
    );
    assert.deepEqual(segments, []);
  });
});
