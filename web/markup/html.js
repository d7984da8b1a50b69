import { decode, encode } from './character-references.js';
import { hasWords, MOST_MARKS, SectionBuilder } from './section.js';
import { isWhole, tokenize } from './tokens.js';

/**
 * HTML as sections of prose and what stands between them, and back.
 *
 * @typedef {import('./tokens.js').Token} Token
 * @typedef {{open: string, close: string}} Tags as they are written; either may be empty
 * @typedef {import('./section.js').Section<Tags>} HtmlSection
 * @typedef {{html: string, section: HtmlSection | undefined}} Part html: as it came
 */

/** Elements that are part of a sentence. All others, `<br>` and unknown ones too, end it. */
export const INLINE = new Set(
  (
    'a abbr acronym b bdi bdo big cite data del dfn em font i img input ins label mark nobr q s small span strike strong sub sup ' +
    'time u wbr code kbd samp var tt svg math canvas object audio video'
  ).split(' '),
);

/** Elements whose content is not prose. */
const VERBATIM = new Set('code kbd samp var tt pre svg math canvas object audio video select template'.split(' '));

const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));

/**
 * @param {string} html
 * @param {{xml?: boolean}} [how] xml: it is XHTML, where a tag may close itself
 * @returns {Part[]} joined, their html is the input
 */
export function readHtml(html, { xml = false } = {}) {
  const tokens = tokenize(html, { xml });
  const isAlone = (/** @type {Token} */ { name, html }) => VOID.has(name) || (xml && isWhole(html));
  const ends = matchingEnds(tokens, isAlone);
  /** @type {Part[]} */
  const parts = [];
  let builder = new SectionBuilder(html);
  let raw = '';
  const finish = () => {
    if (builder.isEmpty) return;
    const section = builder.finish();
    parts.push({ html: raw, section: hasWords(section) ? section : undefined });
    builder = new SectionBuilder(html);
    raw = '';
  };
  for (let i = 0; i < tokens.length; i++) {
    const { kind, name } = tokens[i];
    const end = kind === 'start' && isProtected(tokens[i]) ? ends[i] : undefined;
    const whole = tokens.slice(i, (end ?? i) + 1);
    const written = whole.map((token) => token.html).join('');
    i += whole.length - 1;
    const isBlock = (kind === 'start' || kind === 'end') && !INLINE.has(name);
    if (isBlock || (kind === 'other' && !written.startsWith('<!--'))) {
      finish();
      parts.push({ html: written, section: undefined });
      continue;
    }
    if (builder.size >= MOST_MARKS) finish();
    raw += written;
    const tags = { open: written, close: '' };
    // What is drawn is no word of the sentence; what is written is.
    if (name !== 'svg' && whole.some((token) => token !== whole[0] && /\S/.test(textOf(token)))) builder.protect(tags);
    else if (kind === 'text') readText(written, builder);
    else if (kind === 'start' && end === undefined && !isAlone(tokens[i])) builder.open(tags, name);
    else if (kind === 'end') builder.close(name, ({ open }) => ({ open, close: written }), { open: '', close: written });
    else builder.point(tags);
  }
  finish();
  return parts;
}

/**
 * @param {import('./weave.js').Woven<Tags>[]} woven
 * @returns {string}
 */
export function writeHtml(woven) {
  return woven
    .map((piece) => {
      if (typeof piece === 'string') return encode(piece);
      if (typeof piece.what === 'string') return encode(piece.what);
      return piece.what.open + writeHtml(piece.content) + piece.what.close;
    })
    .join('');
}

/**
 * @param {string} html
 * @param {SectionBuilder<Tags>} builder
 */
function readText(html, builder) {
  for (const part of decode(html)) {
    if (typeof part === 'string') builder.text(part);
    else builder.protect({ open: part.unknown, close: '' });
  }
}

/** @param {Token} token */
function isProtected({ name, html }) {
  return VERBATIM.has(name) || /\stranslate\s*=\s*["']?no["'\s/>]/i.test(html);
}

/**
 * For each start tag the index of the end tag that closes its element; none for those without.
 * @param {Token[]} tokens
 * @param {(token: Token) => boolean} isAlone
 */
function matchingEnds(tokens, isAlone) {
  /** @type {(number | undefined)[]} */
  const ends = [];
  /** @type {Map<string, number[]>} */
  const open = new Map();
  for (const [i, token] of tokens.entries()) {
    const { kind, name } = token;
    if (kind === 'start' && !isAlone(token)) {
      const indices = open.get(name);
      if (indices) indices.push(i);
      else open.set(name, [i]);
    } else if (kind === 'end') {
      const start = open.get(name)?.pop();
      if (start !== undefined) ends[start] = i;
    }
  }
  return ends;
}

/** @param {Token} token */
function textOf({ kind, html }) {
  return kind === 'text' ? html : '';
}
