import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const DATA = fileURLToPath(new URL('../../data/', import.meta.url));

/**
 * The files of a folder of tests/data.
 * @param {string} folder
 * @param {string[]} names
 * @returns {Promise<Record<string, Buffer>>}
 */
export async function modelFiles(folder, names) {
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await readFile(join(DATA, folder, name))])));
}

/**
 * Lays a model's files into a site.
 * @param {import('./site.mjs').Site} site
 * @param {string} folder of the site, a new one
 * @param {Record<string, Uint8Array>} files by their names
 * @returns {Promise<{name: string, path: string, bytes: number, sha256: string}[]>} as a manifest has them
 */
export async function layModel(site, folder, files) {
  await mkdir(join(site.folder, folder), { recursive: true });
  return Promise.all(
    Object.entries(files).map(async ([name, bytes]) => {
      await writeFile(join(site.folder, folder, name), bytes);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      return { name, path: `/${folder}/${name}`, bytes: bytes.length, sha256 };
    }),
  );
}
