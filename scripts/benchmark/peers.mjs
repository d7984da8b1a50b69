/** The engines we race: fetched by npm into build/bench/peers/, laid beside the site as a page of theirs would have them. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const here = fileURLToPath(new URL('.', import.meta.url));
const BERGAMOT = '@browsermt/bergamot-translator';
const TRANSFORMERS = '@huggingface/transformers';
const PACKAGES = { [BERGAMOT]: '0.4.9', [TRANSFORMERS]: '4.3.1' };

// Bergamot's worker does not tell how much memory it has.
const WASM_BYTES = 'BergamotTranslatorWorker.prototype.wasmBytes = () => Module.HEAP8.length;\n';
// It computes alignments all the time, which nobody asks for here.
const ALIGNMENT = '            alignment: soft\n';
// Tokens of an output for each of its source, at most.
const LENGTH = 'max-length-factor: 2.0';

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
  await promisify(execFile)('npm', [
    'install',
    '--prefix',
    folder,
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    ...specifiers,
  ]);
}

/**
 * Lays all of them and a model of ours in their formats into the site.
 * @param {string} peers the folder of installPeers
 * @param {string} site folder
 * @param {string} model folder
 * @param {string[][]} pairs sentences and our translations, for the scales of Bergamot's activations
 * @returns {Promise<{name: string, wasm: string[], title: string}[]>} the contenders
 */
export async function preparePeers(peers, site, model, pairs) {
  return [await prepareBergamot(peers, site, model, pairs), await prepareTransformers(peers, site, model)];
}

/** @param {number} [lengthFactor] output tokens for each source token, at most */
export async function prepareBergamot(peers, site, model, pairs, lengthFactor = 2) {
  const source = join(peers, 'node_modules', BERGAMOT, 'worker');
  const target = join(site, 'peers/bergamot');
  await mkdir(target, { recursive: true });
  for (const name of ['bergamot-translator-worker.js', 'bergamot-translator-worker.wasm']) {
    await copyFile(join(source, name), join(target, name));
  }
  const worker = await readFile(join(source, 'translator-worker.js'), 'utf8');
  if (!worker.includes(ALIGNMENT) || !worker.includes(LENGTH))
    throw new Error("Bergamot's worker is not the one that is expected");
  const adapted = worker.replace(ALIGNMENT, '').replace(LENGTH, `max-length-factor: ${lengthFactor}`);
  await writeFile(join(target, 'translator-worker.js'), adapted + WASM_BYTES);
  await convert('../models/marian_file.py', [model, join(target, 'model.bin')], pairs);
  return { name: 'bergamot', title: `Bergamot ${PACKAGES[BERGAMOT]}`, wasm: [join(source, 'bergamot-translator-worker.wasm')] };
}

async function prepareTransformers(peers, site, model) {
  const target = join(site, 'peers/transformers');
  await mkdir(target, { recursive: true });
  const script = join(peers, 'node_modules', TRANSFORMERS, 'dist/transformers.min.js');
  const wasm = join(peers, 'node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.wasm');
  for (const file of [script, wasm, wasm.replace(/wasm$/, 'mjs')]) await copyFile(file, join(target, basename(file)));
  await convert('export_onnx.py', [model, join(target, 'models/model')], []);
  return { name: 'transformers', title: `transformers.js ${PACKAGES[TRANSFORMERS]}`, wasm: [wasm] };
}

/** Runs a script of this folder, with sentences and translations on its standard input. */
export async function convert(script, args, pairs) {
  // Debian's Python, for which scripts/setup installs numpy and the rest.
  const child = spawn('/usr/bin/python3', [join(here, script), ...args], { stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(pairs.map((pair) => `${pair.join('\t')}\n`).join(''));
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`${script} failed`);
}
