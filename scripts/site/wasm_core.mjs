/**
 * The WebAssembly module under Node, and a model folder loaded into it.
 *
 * @typedef {import('../../web/engine/core.js').Core} Core
 * @typedef {import('../../web/engine/core.js').CoreEngine} CoreEngine
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const build = fileURLToPath(new URL('../../build/wasm/', import.meta.url));

/** @returns {Promise<Core>} */
export async function loadCore() {
  const { default: create } = await import(pathToFileURL(join(build, 'dragoman-core.mjs')).href);
  const module = await WebAssembly.compile(await readFile(join(build, 'dragoman-core.wasm')));
  return create({
    /**
     * @param {WebAssembly.Imports} imports
     * @param {(instance: WebAssembly.Instance, module: WebAssembly.Module) => void} done
     */
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(module, imports).then((instance) => done(instance, module));
      return {};
    },
  });
}

/**
 * @param {Core} core
 * @param {string} folder
 * @returns {Promise<CoreEngine>}
 */
export async function loadEngine(core, folder) {
  const load = async (/** @type {string} */ name) => {
    const bytes = await readFile(join(folder, name));
    const buffer = new core.Buffer(bytes.length);
    buffer.view().set(bytes);
    return buffer;
  };
  const [model, vocabulary] = await Promise.all(['model.safetensors', 'vocab.spm'].map(load));
  try {
    return new core.Engine(await readFile(join(folder, 'config.json'), 'utf8'), model, vocabulary, null, null, 1);
  } finally {
    for (const buffer of [model, vocabulary]) buffer.delete();
  }
}

/**
 * Runs the engine until `text` is translated.
 * @param {Core} core
 * @param {CoreEngine} engine
 * @param {string} text
 * @param {{beam?: number, onText?: (part: string) => void}} [options] onText gets each new part
 */
export function translate(core, engine, text, { beam = 1, onText } = {}) {
  const translation = engine.start(new TextEncoder().encode(text), { ...core.defaultOptions(), beam });
  try {
    let whole = '';
    do {
      engine.step();
      const part = translation.takeText();
      if (part) onText?.(part);
      whole += part;
    } while (!translation.done());
    return { text: whole, tokens: translation.tokens() };
  } finally {
    translation.delete();
  }
}
