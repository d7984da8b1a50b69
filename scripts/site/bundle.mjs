/** The modules of web/ as browsers get them: one file for each entry, and chunks that entries share or that are fetched only when needed. */
import { cp, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * What a module in a folder of web/ names by its address lies beside the bundle, one folder nearer.
 * @type {import('esbuild').Plugin}
 */
const addressesFromTheTop = {
  name: 'addresses-from-the-top',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]source[\\/][\w-]+[\\/][^\\/]+\.js$/ }, async ({ path }) => {
      const code = await readFile(path, 'utf8');
      return { contents: code.replace(/'\.\.\/(?=.*\bimport\.meta\.url\b)/g, "'./") };
    });
  },
};

/**
 * A copy of web/ to bundle, the same in any folder: with what says that it is modules, and with the libraries, which give chunks other
 * names if they are reached from elsewhere.
 * @param {string} target the folder in which it comes to be, by the name of source
 * @param {(path: string) => boolean} [filter] what of web/ is wanted
 * @returns {Promise<string>} the copy
 */
export async function copySource(target, filter = () => true) {
  const source = join(target, 'source');
  await cp(join(root, 'web'), source, { recursive: true, filter });
  await cp(join(root, 'package.json'), join(source, 'package.json'));
  await symlink(join(root, 'node_modules'), join(source, 'node_modules'));
  return source;
}

/**
 * @param {string} source what copySource made, or web/
 * @param {string} target folder in which all lie side by side
 * @param {string[] | Record<string, string>} entries paths in `source`; or by the names that they get
 * @param {import('esbuild').BuildOptions} [options] what is different
 * @returns {Promise<import('esbuild').Metafile>}
 */
export async function bundle(source, target, entries, { plugins = [], ...options } = {}) {
  const { metafile } = await build({
    entryPoints: entries,
    outdir: target,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    splitting: true,
    // The names of chunks are hashes, in which the paths of what is in them go, too: from here, so that they are the same anywhere.
    absWorkingDir: source,
    preserveSymlinks: true,
    metafile: true,
    logLevel: 'warning',
    // Stays a file of its own, next to the wasm that it names.
    external: ['./core/dragoman-core.mjs', './core/dragoman-core-threads.mjs'],
    plugins: [addressesFromTheTop, ...plugins],
    ...options,
  });
  return /** @type {import('esbuild').Metafile} */ (metafile);
}

/**
 * Inner modules, each with all that it imports, for pages of tests and benchmarks that look behind the API.
 * @param {string} folder of a site
 * @param {string[]} paths in web/, the same as in the site
 */
export async function addModules(folder, paths) {
  const entries = Object.fromEntries(paths.map((path) => [path.replace(/\.js$/, ''), path]));
  await bundle(join(root, 'web'), folder, entries, { splitting: false });
}
