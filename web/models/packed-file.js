import { exception } from '../base/errors.js';

/**
 * Files that are kept and sent packed, as Bergamot's and Firefox's are: gzipped (RFC 1952), or by Zstandard (RFC 8878). No other file
 * of a model begins like one.
 */

// Bytes that a file of which no more is known may unpack to: more than any model has.
const LARGEST = 2 ** 30;

/** @param {Uint8Array} bytes */
const isGzip = (bytes) => bytes[0] === 0x1f && bytes[1] === 0x8b;
/** @param {Uint8Array} bytes */
const isZstd = (bytes) => bytes[0] === 0x28 && bytes[1] === 0xb5 && bytes[2] === 0x2f && bytes[3] === 0xfd;
/** @param {Uint8Array} bytes */
export const isPacked = (bytes) => isGzip(bytes) || isZstd(bytes);

/**
 * @param {Uint8Array<ArrayBuffer>} bytes of a file that isPacked
 * @param {import('./manifest.js').ModelFile} file that they are
 * @returns {Promise<{size: number, pieces: Uint8Array[]}>} what the file holds, in pieces one behind the other
 */
export async function unpack(bytes, { name, unpackedBytes }) {
  /** @type {Uint8Array[]} */
  const pieces = [];
  let size = 0;
  const take = (/** @type {Uint8Array} */ piece) => {
    size += piece.length;
    if (size > (unpackedBytes ?? LARGEST)) throw new RangeError('This is more than there may be.');
    pieces.push(piece);
  };
  try {
    if (isGzip(bytes)) await gunzip(bytes, take);
    else (await import('./zstd.js')).unzstd(bytes, take);
    if (size !== (unpackedBytes ?? size)) throw new RangeError(`${size} bytes in place of ${unpackedBytes}.`);
  } catch (cause) {
    throw exception(
      'OperationError',
      `The model file ${name} cannot be unpacked: it is damaged, or not as large as it should be.`,
      cause,
    );
  }
  return { size, pieces };
}

/**
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {(piece: Uint8Array) => void} take
 */
async function gunzip(bytes, take) {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) take(piece.value);
}
