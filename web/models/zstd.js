import { Decompress } from 'fzstd';

// Bytes handed in at a time: what they unpack to is handed on before the next.
const STEP = 1 << 16;

/**
 * @param {Uint8Array} bytes a file of Zstandard's
 * @param {(piece: Uint8Array) => void} take gets what it holds, piece by piece
 * @throws if it is damaged, or `take` throws
 */
export function unzstd(bytes, take) {
  const stream = new Decompress(take);
  for (let at = 0; at < bytes.length; at += STEP) stream.push(bytes.subarray(at, at + STEP), at + STEP >= bytes.length);
}
