/** Subresource integrity: hashes that go with addresses, so that a browser takes these bytes or none. */
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * @param {string} path
 * @returns {Promise<string>} as `integrity` attributes and options have it
 */
export async function integrityOf(path) {
  return `sha256-${createHash('sha256')
    .update(await readFile(path))
    .digest('base64')}`;
}

/**
 * The twin of web/engine/integrity.js, of the wasm files in a folder.
 * @param {string} core
 * @param {string} target
 */
export async function writeIntegrity(core, target) {
  const names = (await readdir(core)).filter((name) => name.endsWith('.wasm')).sort();
  const entries = await Promise.all(names.map(async (name) => [name, await integrityOf(join(core, name))]));
  await writeFile(target, `export const integrity = ${JSON.stringify(Object.fromEntries(entries), null, 1)};\n`);
}
