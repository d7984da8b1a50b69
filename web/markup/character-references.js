/**
 * Character references, as far as prose has them: all numbers, HTML's names of Latin-1, and those of punctuation. Other names are
 * left to whoever reads the text (`decode` says where they are).
 */

// U+00A0 to U+00FF in order. HTML takes these, and amp, lt, gt and quot, without a semicolon, too.
const LATIN_1 =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot ' +
  'cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml ' +
  'Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig ' +
  'agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ' +
  'ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';

// Name and character.
const PUNCTUATION =
  "apos' ndash– mdash— lsquo‘ rsquo’ sbquo‚ ldquo“ rdquo” bdquo„ hellip… bull• euro€ trade™ lsaquo‹ rsaquo› minus− larr← uarr↑ " +
  'rarr→ darr↓ ensp\u2002 emsp\u2003 thinsp\u2009 zwnj\u200c zwj\u200d OEligŒ oeligœ ScaronŠ scaronš';

/** @type {Record<string, string>} */
const BARE = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"' },
  ...Object.fromEntries(LATIN_1.split(' ').map((name, index) => [name, String.fromCharCode(0xa0 + index)])),
};

/** @type {Record<string, string>} */
const NAMED = { ...BARE, ...Object.fromEntries(PUNCTUATION.split(' ').map((one) => [one.slice(0, -1), one.slice(-1)])) };

// What HTML takes the numbers 128 to 159 for: Windows' characters.
const WINDOWS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

const REFERENCE = /&(?:#(?:x([0-9a-f]+)|([0-9]+));?|([a-z][a-z0-9]*)(;?))/gi;

/**
 * @param {string} html text without tags
 * @returns {(string | {unknown: string})[]} characters, and between them names that are not known here
 */
export function decode(html) {
  /** @type {(string | {unknown: string})[]} */
  const parts = [''];
  let end = 0;
  const add = (/** @type {string} */ text) => {
    if (typeof parts.at(-1) === 'string') parts[parts.length - 1] += text;
    else if (text) parts.push(text);
  };
  for (const match of html.matchAll(REFERENCE)) {
    const [whole, hexadecimal, decimal, name, semicolon] = match;
    add(html.slice(end, match.index));
    end = match.index + whole.length;
    if (name === undefined) {
      add(character(hexadecimal ? Number.parseInt(hexadecimal, 16) : Number.parseInt(decimal, 10)));
    } else if (semicolon && Object.hasOwn(NAMED, name)) {
      add(NAMED[name]);
    } else {
      const known = prefix(name);
      if (known) add(BARE[known] + name.slice(known.length) + semicolon);
      else if (semicolon) parts.push({ unknown: whole });
      else add(whole);
    }
  }
  add(html.slice(end));
  return parts;
}

/** @param {string} text */
export function encode(text) {
  return text.replace(/[&<>\u00a0]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[c] ?? '&nbsp;');
}

/** @param {number} code */
function character(code) {
  if (code >= 0x80 && code <= 0x9f) return WINDOWS[code - 0x80];
  const none = code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff);
  return none ? '\ufffd' : String.fromCodePoint(code);
}

/**
 * The longest name that a name begins with and that needs no semicolon.
 * @param {string} name
 */
function prefix(name) {
  for (let length = Math.min(name.length, 6); length > 1; length--) {
    if (Object.hasOwn(BARE, name.slice(0, length))) return name.slice(0, length);
  }
  return undefined;
}
