import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildPackage } from '../../../scripts/site/package.mjs';

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
  const packed = /** @type {Packed} */ ({});

  before(async () => {
    await mkdir(join(root, 'build'), { recursive: true });
    // Below the root, so that the Vite example finds the root's vite.
    const folder = await mkdtemp(join(root, 'build/package-test-'));
    packed.folder = folder;
    const source = await buildPackage(join(folder, 'package'));
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: source });
    const listing = JSON.parse(stdout);
    // npm 11 lists packages by name, npm 10 in an array.
    packed.listing = Array.isArray(listing) ? listing[0] : Object.values(listing)[0];
    packed.installed = join(folder, 'installed');
    await mkdir(packed.installed);
    const dependencies = { dragoman: `file:${join(folder, packed.listing.filename)}` };
    await writeFile(join(packed.installed, 'package.json'), JSON.stringify({ type: 'module', dependencies }));
    // Without a network: the package has no dependencies.
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--no-package-lock'], { cwd: packed.installed });
  });

  after(async () => {
    if (packed.folder) await rm(packed.folder, { recursive: true, force: true });
  });

  return packed;
}
