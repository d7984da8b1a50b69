import { dataError } from './errors.js';
import { linesToParts } from './lines.js';
import { addMarkedText } from './marked-text.js';
import { textDocument } from './text-document.js';

/**
 * @typedef {import('./parts.js').Part} Part
 * @typedef {{keyword: string, source: string, value: string}} Field source: with all its lines
 */

// Of C, Python, and those in braces.
const PLACEHOLDER =
  /%(?:\d+\$|\([^()\s]*\))?[-+ #0']*(?:\*|\d+)?(?:\.(?:\*|\d+))?(?:hh|h|ll|l|L|q|j|z|t)?[a-z@%]|\$?\{[^{}\n]*\}/;

/** Gettext's messages: those without a translation get one. @param {Uint8Array} bytes */
export function read(bytes) {
  return textDocument(bytes, poParts, {
    declared: (start) => {
      const name = /charset=([\w-]+)/.exec(start)?.[1];
      return name === 'CHARSET' ? undefined : name;
    },
    unknown: () => {
      throw dataError('The translation does not fit into the encoding of the file. Convert it: msgconv --to-code=UTF-8.');
    },
  });
}

/**
 * @param {string} text
 * @returns {Part[]}
 */
function poParts(text) {
  const newline = /\r?\n/.exec(text)?.[0] ?? '\n';
  /** @type {Part[]} */
  const parts = [];
  /** @type {Record<string, string>} */
  let message = {};
  for (const field of fields(text)) {
    const { keyword, source, value } = field;
    if (keyword === 'msgctxt' || (keyword === 'msgid' && message.msgid !== undefined)) message = {};
    message[keyword] = value;
    const plural = /^msgstr\[(\d+)\]$/.exec(keyword)?.[1];
    if (keyword === 'msgstr' && message.msgid === '' && message.msgctxt === undefined) parts.push(header(source));
    else if (value !== '' || !/^msgstr/.test(keyword)) parts.push(source);
    else {
      const original = (Number(plural ?? 0) > 0 ? message.msgid_plural : message.msgid) ?? '';
      const end = /\r?\n$/.exec(source)?.[0] ?? '';
      parts.push({
        source,
        parts: linesToParts(original, {
          prose: (characters, inline) => addMarkedText(characters, inline, { placeholder: PLACEHOLDER }),
        }),
        wrap: (translation) => `${keyword} ${quoted(translation, newline)}${end}`,
      });
    }
  }
  return parts;
}

/**
 * What says the language, and the encoding of a template.
 * @param {string} source
 * @returns {Part}
 */
function header(source) {
  const inLanguage = (/** @type {string} */ tag) =>
    source.replace(/("Language: )[^"\\]*/, `$1${tag.replace('-', '_')}`).replace('charset=CHARSET', 'charset=UTF-8');
  return { source, inLanguage };
}

/**
 * @param {string} text
 * @returns {Field[]} comments and empty lines have the keyword ''
 */
function fields(text) {
  /** @type {Field[]} */
  const found = [];
  for (const [index, line] of (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).entries()) {
    if (/^\s*(?:#|$)/.test(line)) {
      found.push({ keyword: '', source: line, value: '' });
      continue;
    }
    const [, keyword, string] = /^\s*(msgctxt|msgid_plural|msgid|msgstr(?:\[\d+\])?|)\s*"((?:[^"\\]|\\.)*)"\s*$/.exec(line) ?? [];
    const last = found.at(-1);
    if (string === undefined || (!keyword && !last?.keyword))
      throw dataError(`Line ${index + 1} of the file is none of a PO file.`);
    if (keyword) found.push({ keyword, source: line, value: unescaped(string) });
    else if (last) Object.assign(last, { source: last.source + line, value: last.value + unescaped(string) });
  }
  return found;
}

/** @type {Record<string, string>} */
const ESCAPES = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v' };
const LETTERS = Object.fromEntries(Object.entries(ESCAPES).map(([letter, character]) => [character, letter]));

/** @param {string} string */
function unescaped(string) {
  return string.replace(/\\(.)/g, (_, letter) => ESCAPES[letter] ?? letter);
}

/**
 * As gettext writes it: in one line, or each line of the message in one.
 * @param {string} value
 * @param {string} newline
 */
function quoted(value, newline) {
  const escaped = Array.from(value, (character) => {
    if (character === '"' || character === '\\') return `\\${character}`;
    return Object.hasOwn(LETTERS, character) ? `\\${LETTERS[character]}` : character;
  }).join('');
  const lines = escaped.split(/(?<=(?<!\\)(?:\\\\)*\\n)(?!$)/);
  return (lines.length > 1 ? ['', ...lines] : lines).map((line) => `"${line}"`).join(newline);
}
