/** A book of 300 pages: the sentences of en200.txt by a lot that is the same each time, no two paragraphs alike. */
import { readFileSync } from 'node:fs';
import { strToU8, zipSync } from 'fflate';

export const PAGES = 300;
export const CHAPTERS = 30;
const PAGE_CHARACTERS = 2000;
const PARAGRAPH_CHARACTERS = 500;

const SENTENCES = readFileSync(new URL('en200.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');

/** @returns {string[]} its paragraphs */
export function prose() {
  let seed = 1;
  const paragraphs = [];
  for (let length = 0; length < PAGES * PAGE_CHARACTERS; length += paragraphs.at(-1)?.length ?? 0) {
    let paragraph = '';
    while (paragraph.length < PARAGRAPH_CHARACTERS) {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      paragraph += `${paragraph && ' '}${SENTENCES[Math.floor((seed / 2 ** 32) * SENTENCES.length)]}`;
    }
    paragraphs.push(paragraph);
  }
  return paragraphs;
}

/** @param {string[]} paragraphs */
export function epub(paragraphs) {
  const each = Math.ceil(paragraphs.length / CHAPTERS);
  const names = Array.from({ length: CHAPTERS }, (_, i) => `chapter${i + 1}.xhtml`);
  const chapter = (/** @type {number} */ i) => {
    const text = paragraphs.slice(i * each, (i + 1) * each).map((paragraph) => `<p>${paragraph.replaceAll('&', '&amp;')}</p>`);
    const head = `<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><title>Chapter ${i + 1}</title></head>`;
    return strToU8(`<?xml version="1.0"?>${head}<body>${text.join('\n')}</body></html>`);
  };
  const items = names.map((name, i) => `<item id="c${i}" href="${name}" media-type="application/xhtml+xml"/>`);
  const rootfile = '<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/>';
  return zipSync({
    mimetype: [strToU8('application/epub+zip'), { level: 0 }],
    'META-INF/container.xml': strToU8(`<container><rootfiles>${rootfile}</rootfiles></container>`),
    'book.opf': strToU8(`<package><metadata/><manifest>${items.join('')}</manifest></package>`),
    ...Object.fromEntries(names.map((name, i) => [name, chapter(i)])),
  });
}
