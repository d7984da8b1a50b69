import { exception } from '../base/errors.js';

/** Files that are kept and sent gzipped (RFC 1952), as most of Bergamot's are. No other file of a model begins like one. */

/** @param {Uint8Array} bytes */
export function isGzip(bytes) {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/**
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {string} name of the file, for errors
 * @returns {Promise<Uint8Array>}
 */
export async function gunzip(bytes, name) {
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  try {
    return new Uint8Array(await new Response(unpacked).arrayBuffer());
  } catch (cause) {
    throw exception('OperationError', `The model file ${name} cannot be unpacked: its gzip data is damaged.`, cause);
  }
}
