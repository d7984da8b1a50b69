import { dataError } from './errors.js';

/**
 * The characters of a file, and a file of characters in the same encoding. A byte order mark decides; without one it is UTF-8 if it
 * can be, UTF-16 if every other byte is zero, else what the file itself says, else Windows' Latin-1. What is read is never guessed
 * at: each of these gives the same bytes back.
 *
 * @typedef {object} Text
 * @property {string} text without the byte order mark
 * @property {string} encoding
 * @property {(text: string, unknown?: (character: string) => string) => Uint8Array<ArrayBuffer>} encode `unknown` writes what the
 *   encoding has not; without it, such a text becomes UTF-8
 */

const MARKS = /** @type {const} */ ([
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
]);

/**
 * @param {Uint8Array} bytes
 * @param {(start: string) => string | undefined} [declared] the encoding that a file names, given its beginning as Latin-1
 * @returns {Text}
 */
export function decodeText(bytes, declared = () => undefined) {
  const [encoding, mark] = MARKS.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte)) ?? [unmarked(bytes), []];
  const content = bytes.subarray(mark.length);
  if (encoding) return checked(content, encoding, [...mark]);
  const text = tryDecode(content, 'utf-8');
  if (text !== undefined) return checked(content, 'utf-8', []);
  const name = declared(new TextDecoder('latin1').decode(bytes.subarray(0, 1024)));
  // More characters of UTF-8 than bytes that are none: it is UTF-8, but for some damage.
  const damaged = new TextDecoder().decode(content);
  if (!name && count(damaged, /[\u0080-\ufffc]/g) > count(damaged, /\ufffd/g)) throw dataError('The text is damaged UTF-8.');
  return checked(content, name ?? 'windows-1252', []);
}

/** @param {Uint8Array} bytes */
function unmarked(bytes) {
  const start = bytes.subarray(0, 512);
  const zeros = (/** @type {number} */ odd) => start.filter((byte, index) => index % 2 === odd && byte === 0).length;
  if (start.length < 4) return undefined;
  if (zeros(1) > start.length / 3 && zeros(0) === 0) return 'utf-16le';
  if (zeros(0) > start.length / 3 && zeros(1) === 0) return 'utf-16be';
  return undefined;
}

/**
 * @param {Uint8Array} bytes
 * @param {string} encoding
 * @param {number[]} mark
 * @returns {Text}
 */
function checked(bytes, encoding, mark) {
  const text = tryDecode(bytes, encoding);
  if (text === undefined) throw dataError(`The text is no valid ${encoding}.`);
  if (text.includes('\0')) throw dataError('The file is not a text file.');
  /** @type {Text['encode']} */
  const encode = (text, unknown) => {
    const utf8 = () => new TextEncoder().encode(text);
    if (encoding.startsWith('utf-16')) return joined(mark, utf16(text, encoding === 'utf-16le'));
    if (encoding === 'utf-8') return joined(mark, utf8());
    return singleBytes(text, encoding, unknown) ?? utf8();
  };
  // An encoding of several bytes a character can be read, but browsers do not write it.
  if (!/^utf-/.test(encoding) && singleBytes(text, encoding) === undefined) {
    throw dataError(`The text is in ${encoding}, which cannot be written. Convert it to UTF-8.`);
  }
  return { text, encoding, encode };
}

/**
 * @param {Uint8Array} bytes
 * @param {string} encoding
 */
function tryDecode(bytes, encoding) {
  let decoder;
  try {
    decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  } catch {
    throw dataError(`The file says that its encoding is ${encoding.slice(0, 40)}, which is unknown.`);
  }
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * @param {string} text
 * @param {boolean} littleEndian
 */
function utf16(text, littleEndian) {
  const view = new DataView(new ArrayBuffer(2 * text.length));
  for (let i = 0; i < text.length; i++) view.setUint16(2 * i, text.charCodeAt(i), littleEndian);
  return new Uint8Array(view.buffer);
}

/**
 * @param {string} text
 * @param {string} encoding of one byte a character
 * @param {(character: string) => string} [unknown]
 */
function singleBytes(text, encoding, unknown) {
  const decoder = new TextDecoder(encoding);
  const bytes = new Map(Array.from({ length: 256 }, (_, byte) => [decoder.decode(new Uint8Array([byte])), byte]));
  bytes.delete('\ufffd');
  bytes.delete('');
  /** @type {number[]} */
  const result = [];
  for (const character of text) {
    for (const one of bytes.has(character) || !unknown ? [character] : unknown(character)) {
      const byte = bytes.get(one);
      if (byte === undefined) return undefined;
      result.push(byte);
    }
  }
  return Uint8Array.from(result);
}

/**
 * @param {ArrayLike<number>} mark
 * @param {Uint8Array} bytes
 */
function joined(mark, bytes) {
  const result = new Uint8Array(mark.length + bytes.length);
  result.set(mark);
  result.set(bytes, mark.length);
  return result;
}

/**
 * @param {string} text
 * @param {RegExp} what
 */
function count(text, what) {
  return text.match(what)?.length ?? 0;
}
