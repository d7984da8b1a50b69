/**
 * The site and the npm package that tests look at, in folders of their own: copies of those in $DRAGOMAN_MADE, which scripts/test has
 * made once for all files of tests, or new ones.
 *   node tests/web/support/made.mjs FOLDER    makes both
 */
import { cp, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addModules } from '../../../scripts/site/bundle.mjs';
import { buildPackage } from '../../../scripts/site/package.mjs';
import { assembleSite } from '../../../scripts/site/site.mjs';

// A page with nothing on it, for tests that call the API themselves.
const BLANK =
  '<!doctype html><html lang="en"><title>Blank</title><link rel="icon" href="icons/dragoman.svg"><p>Blank.</p></html>';

// What tests look at behind the API.
const INNER_MODULES = ['api/translate-options.js', 'engine/core.js', 'engine/relaxed-kernels.js'];

const made = process.env.DRAGOMAN_MADE;

/** @param {string} folder */
export async function makeSite(folder) {
  if (made) return cp(join(made, 'site'), folder, { recursive: true });
  await assembleSite(folder);
  await writeFile(join(folder, 'blank.html'), BLANK);
  await addModules(folder, INNER_MODULES);
}

/**
 * @param {string} folder
 * @returns {Promise<string>} the folder
 */
export async function makePackage(folder) {
  if (!made) return buildPackage(folder);
  await cp(join(made, 'package'), folder, { recursive: true });
  return folder;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const target = resolve(process.argv[2]);
  await makeSite(join(target, 'site'));
  await makePackage(join(target, 'package'));
}
