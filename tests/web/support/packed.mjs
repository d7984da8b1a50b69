import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makePackage } from './made.mjs';

export const run = promisify(execFile);
export const root = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * The npm package as its users get it, for the tests of a file: packed, and installed from the tarball.
 *
 * @typedef {{folder: string, listing: any, installed: string}} Packed folder: what the rest lies in, the built
 *   package as `package`; listing: npm's, of what it has packed; installed: a project that has the package
 *
 * @returns {Packed} filled in from the first test on
 */
export function packed() {
  const made = /** @type {Packed} */ ({});

  before(async () => {
    await mkdir(join(root, 'build'), { recursive: true });
    // Below the root, so that the Vite example finds the root's vite.
    const folder = await mkdtemp(join(root, 'build/package-test-'));
    made.folder = folder;
    const source = await makePackage(join(folder, 'package'));
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: source });
    const listing = JSON.parse(stdout);
    // npm 11 lists packages by name, npm 10 in an array.
    made.listing = Array.isArray(listing) ? listing[0] : Object.values(listing)[0];
    made.installed = join(folder, 'installed');
    await mkdir(made.installed);
    const dependencies = { dragoman: `file:${join(folder, made.listing.filename)}` };
    await writeFile(join(made.installed, 'package.json'), JSON.stringify({ type: 'module', dependencies }));
    // Without a network: the package has no dependencies.
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--no-package-lock'], { cwd: made.installed });
  });

  after(async () => {
    if (made.folder) await rm(made.folder, { recursive: true, force: true });
  });

  return made;
}
