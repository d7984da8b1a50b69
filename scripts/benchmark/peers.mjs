/** The engines we race: fetched by npm into build/bench/peers/, laid beside the site as a page of theirs would have them. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const here = fileURLToPath(new URL('.', import.meta.url));
const PACKAGES = { '@browsermt/bergamot-translator': '0.4.9' };

// Bergamot's worker does not tell how much memory it has.
const WASM_BYTES = 'BergamotTranslatorWorker.prototype.wasmBytes = () => Module.HEAP8.length;\n';

/** @param {string} folder to install into */
export async function installPeers(folder) {
  await mkdir(folder, { recursive: true });
  const installed = async (name) => {
    const text = await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8').catch(() => '{}');
    return JSON.parse(text).version === PACKAGES[name];
  };
  const names = Object.keys(PACKAGES);
  if ((await Promise.all(names.map(installed))).every(Boolean)) return;
  const specifiers = names.map((name) => `${name}@${PACKAGES[name]}`);
  await promisify(execFile)('npm', ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', ...specifiers]);
}

/** All of them, in the order of the race; see prepareBergamot. */
export async function preparePeers(...about) {
  return [await prepareBergamot(...about)];
}

/**
 * Bergamot and a model of ours in its format, into the site.
 * @param {string} peers the folder of installPeers
 * @param {string} site folder
 * @param {string} model folder
 * @param {[string, string][]} pairs sentences and our translations, for the activations' scales
 * @returns {Promise<{name: string, wasm: string, title: string}>} the contender
 */
async function prepareBergamot(peers, site, model, pairs) {
  const source = join(peers, 'node_modules/@browsermt/bergamot-translator/worker');
  const target = join(site, 'peers/bergamot');
  await mkdir(target, { recursive: true });
  for (const name of ['bergamot-translator-worker.js', 'bergamot-translator-worker.wasm']) {
    await copyFile(join(source, name), join(target, name));
  }
  const worker = await readFile(join(source, 'translator-worker.js'), 'utf8');
  await writeFile(join(target, 'translator-worker.js'), worker + WASM_BYTES);
  await convert('export_marian.py', [model, join(target, 'model.bin')], pairs);
  const version = PACKAGES['@browsermt/bergamot-translator'];
  return { name: 'bergamot', title: `Bergamot ${version}`, wasm: join(source, 'bergamot-translator-worker.wasm') };
}

/** Runs a converter of ours, with sentences and translations on its standard input. */
async function convert(script, args, pairs) {
  // Debian's Python, for which scripts/setup installs numpy and the rest.
  const child = spawn('/usr/bin/python3', [join(here, script), ...args], { stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(pairs.map((pair) => `${pair.join('\t')}\n`).join(''));
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`${script} failed`);
}
