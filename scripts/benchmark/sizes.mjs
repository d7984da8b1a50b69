/** What a visitor downloads, as a server sends it. */
import { readFile } from 'node:fs/promises';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/**
 * @param {string[]} paths of files that are all fetched, each compressed by itself
 * @returns {Promise<{raw: number, gzip: number, brotli: number}>} bytes, at the strongest compression
 */
export async function sizes(paths) {
  const total = { raw: 0, gzip: 0, brotli: 0 };
  for (const path of paths) {
    for (const [packing, size] of Object.entries(sizesOf(await readFile(path)))) total[packing] += size;
  }
  return total;
}

function sizesOf(bytes) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  return {
    raw: bytes.length,
    gzip: gzipSync(bytes, { level: 9 }).length,
    brotli: brotliCompressSync(bytes, { params }).length,
  };
}
