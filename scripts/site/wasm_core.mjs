/** The WebAssembly module under Node, and a model folder loaded into it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const build = fileURLToPath(new URL('../../build/wasm/', import.meta.url));

/** @returns {Promise<any>} the Embind module (src/bindings/embind.cpp) */
export async function loadCore() {
  const { default: create } = await import(pathToFileURL(join(build, 'dragoman-core.mjs')).href);
  const module = await WebAssembly.compile(await readFile(join(build, 'dragoman-core.wasm')));
  return create({
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(module, imports).then((instance) => done(instance, module));
      return {};
    },
  });
}

/** @returns {Promise<any>} an Engine of the module */
export async function loadEngine(core, folder) {
  const buffers = [];
  for (const name of ['model.safetensors', 'vocab.spm']) {
    const bytes = await readFile(join(folder, name));
    const buffer = new core.Buffer(bytes.length);
    buffer.view().set(bytes);
    buffers.push(buffer);
  }
  try {
    return new core.Engine(await readFile(join(folder, 'config.json'), 'utf8'), ...buffers, 1);
  } finally {
    for (const buffer of buffers) buffer.delete();
  }
}

/** Runs the engine until `text` is translated; `onText` gets each new part. */
export function translate(engine, text, onText = () => {}) {
  const translation = engine.start(new TextEncoder().encode(text), { beam: 1 });
  try {
    let whole = '';
    do {
      engine.step();
      const part = translation.takeText();
      if (part) onText(part);
      whole += part;
    } while (!translation.done());
    return { text: whole, tokens: translation.tokens() };
  } finally {
    translation.delete();
  }
}
