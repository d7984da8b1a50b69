import { unzipSync, zipSync } from 'fflate';
import { quotaExceeded } from '../base/errors.js';
import { decodeText } from './encoding.js';
import { dataError } from './errors.js';
import { segmentsOf, textOf } from './parts.js';
import { characterReference, declaredEncoding } from './xml.js';

/**
 * A file that is a ZIP archive of others: office documents, books.
 *
 * @typedef {Map<string, Member>} Members by name, in order
 * @typedef {{bytes: Uint8Array<ArrayBuffer>, packed: boolean}} Member
 * @typedef {import('./parts.js').Part} Part
 */

// Unpacked. What claims to be more is none of these files, or made to fill the memory.
const MOST_BYTES = 2 ** 28;
// The oldest time that an archive can have: the same translation gives the same bytes.
const MTIME = new Date(1980, 0, 1);

/**
 * @param {Uint8Array} bytes
 * @param {(members: Members) => Iterable<[string, (xml: string) => Part[]]>} read which members are to be read, and how
 * @returns {import('./text-document.js').Document}
 */
export function zipDocument(bytes, read) {
  const members = unzip(bytes);
  const read_ = [...read(members)].map(([name, partsOf]) => {
    const { text, encode } = decodeText(member(members, name), declaredEncoding);
    return { name, parts: partsOf(text), encode };
  });
  return {
    segments: read_.flatMap(({ parts }) => segmentsOf(parts)),
    write: (translations, language) => {
      const rest = translations.values();
      const written = new Map(
        read_.map(({ name, parts, encode }) => [name, encode(textOf(parts, rest, language), characterReference)]),
      );
      /** @type {import('fflate').Zippable} */
      const archive = {};
      for (const [name, { bytes, packed }] of members) {
        archive[name] = [written.get(name) ?? bytes, { level: packed ? 6 : 0, mtime: MTIME }];
      }
      return zipSync(archive);
    },
  };
}

/**
 * @param {Members} members
 * @param {string} name
 */
export function member(members, name) {
  const found = members.get(name);
  if (!found) throw dataError(`The file has no ${name} in it: it is not what its name says.`);
  return found.bytes;
}

/**
 * @param {Uint8Array} bytes
 * @returns {Members}
 */
function unzip(bytes) {
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b) throw dataError('The file is not what its name says: it is no ZIP archive.');
  /** @type {Map<string, boolean>} */
  const packed = new Map();
  let total = 0;
  let unzipped;
  try {
    unzipped = unzipSync(bytes, {
      filter: ({ name, originalSize, compression }) => {
        if (/(^|[\\/])\.\.([\\/]|$)|^[\\/]|\0/.test(name) || packed.has(name))
          throw dataError('The archive has a member with an impossible name.');
        packed.set(name, compression !== 0);
        total += originalSize;
        if (total > MOST_BYTES) {
          const message = `Unpacked, the file is larger than ${MOST_BYTES >> 20} MB.`;
          throw quotaExceeded(message, { requested: total, quota: MOST_BYTES });
        }
        return true;
      },
    });
  } catch (error) {
    if (error instanceof DOMException) throw error;
    throw dataError(`The archive is damaged: ${/** @type {Error} */ (error).message}.`, error);
  }
  return new Map(
    [...packed].map(([name, isPacked]) => [
      name,
      { bytes: /** @type {Uint8Array<ArrayBuffer>} */ (unzipped[name]), packed: isPacked },
    ]),
  );
}
