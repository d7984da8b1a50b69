/**
 * Cuts HTML into tokens where a browser's parser would (https://html.spec.whatwg.org/multipage/parsing.html#tokenization).
 * Joined, they are the input, whatever it is: what ends in the middle of a tag or a comment is a token as well.
 *
 * @typedef {{kind: 'text' | 'start' | 'end' | 'other', html: string, name: string}} Token name: of a tag, in small letters; other:
 *   comments, doctypes, what is in a script
 */

const BLANK = /[\t\n\f\r ]/;
const NAME_END = /[\t\n\f\r />]/;
const ATTRIBUTE_END = /[\t\n\f\r />=]/;

/** Elements whose content has no tags. That of a title is text, though. */
const RAW = new Set(['script', 'style', 'xmp', 'iframe', 'noembed', 'noframes', 'noscript', 'textarea', 'title', 'plaintext']);

/**
 * @param {string} html
 * @param {{xml?: boolean}} [how] xml: it is XHTML, where `<title/>` is a whole element
 * @returns {Token[]}
 */
export function tokenize(html, { xml = false } = {}) {
  /** @type {Token[]} */
  const tokens = [];
  let begin = 0;
  /**
   * @param {Token['kind']} kind
   * @param {number} end
   */
  const push = (kind, end, name = '') => {
    if (end > begin) tokens.push({ kind, html: html.slice(begin, end), name });
    begin = end;
  };
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', Math.max(at + 1, begin))) {
    const isEnd = html[at + 1] === '/';
    if (/[a-z]/i.test(html[at + (isEnd ? 2 : 1)] ?? '')) {
      push('text', at);
      const nameEnd = find(html, NAME_END, at);
      const name = html.slice(at + (isEnd ? 2 : 1), nameEnd).toLowerCase();
      const end = tagEnd(html, nameEnd);
      if (end < 0) break;
      push(isEnd ? 'end' : 'start', end, name);
      if (!isEnd && RAW.has(name) && !(xml && isWhole(html, end)))
        push(name === 'title' ? 'text' : 'other', rawEnd(html, end, name));
    } else if (/[!?]/.test(html[at + 1] ?? '') || (isEnd && at + 2 < html.length)) {
      push('text', at);
      push('other', commentEnd(html, at));
    }
  }
  // A tag that the end cuts off is none.
  push(/^<\/?[a-z]/i.test(html.slice(begin, begin + 3)) ? 'other' : 'text', html.length);
  return tokens;
}

/**
 * Whether a tag closes itself, as XML has it.
 * @param {string} html
 * @param {number} [end] of the tag
 */
export function isWhole(html, end = html.length) {
  return html[end - 2] === '/';
}

/**
 * @param {string} html
 * @param {RegExp} what
 * @param {number} from
 * @returns where the next such character is; the end, if there is none
 */
function find(html, what, from) {
  let at = from;
  // The slash of an end tag is no end of its name.
  if (html.startsWith('</', at)) at += 2;
  while (at < html.length && !what.test(html[at])) at++;
  return at;
}

/**
 * Past the attributes and the `>` of a tag whose name ends at `at`; -1 if it has none.
 * @param {string} html
 * @param {number} at
 */
function tagEnd(html, at) {
  const skipBlanks = () => {
    while (at < html.length && BLANK.test(html[at])) at++;
  };
  for (;;) {
    while (at < html.length && (BLANK.test(html[at]) || html[at] === '/')) at++;
    if (at >= html.length) return -1;
    if (html[at] === '>') return at + 1;
    for (at++; at < html.length && !ATTRIBUTE_END.test(html[at]); ) at++;
    skipBlanks();
    if (html[at] !== '=') continue;
    at++;
    skipBlanks();
    if (html[at] === '"' || html[at] === "'") {
      at = html.indexOf(html[at], at + 1) + 1;
      if (at === 0) return -1;
    } else {
      while (at < html.length && html[at] !== '>' && !BLANK.test(html[at])) at++;
    }
  }
}

/**
 * Past what begins with `<!`, `<?` or `</` and no letter.
 * @param {string} html
 * @param {number} at
 */
function commentEnd(html, at) {
  if (!html.startsWith('<!--', at)) {
    const end = html.indexOf('>', at);
    return end < 0 ? html.length : end + 1;
  }
  // `<!-->` and `<!--->` are comments, too.
  if (html[at + 4] === '>') return at + 5;
  if (html.startsWith('->', at + 4)) return at + 6;
  const end = /--!?>/g;
  end.lastIndex = at + 4;
  return end.test(html) ? end.lastIndex : html.length;
}

/**
 * Where the end tag of an element begins whose content starts at `at`.
 * @param {string} html
 * @param {number} at
 * @param {string} name
 */
function rawEnd(html, at, name) {
  const end = new RegExp(`</${name}(?=[\\t\\n\\f\\r />])`, 'gi');
  end.lastIndex = at;
  return name === 'plaintext' ? html.length : (end.exec(html)?.index ?? html.length);
}
