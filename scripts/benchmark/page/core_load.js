/** The core's module and a model, loaded over HTTP. */
import { loadCore } from '../engine/core.js';

/**
 * As the site's worker does, on one thread.
 * @param {string} [folder] of the module
 */
export async function instantiate(folder = '../core') {
  const { default: createModule } = await import(`${folder}/dragoman-core.mjs`);
  const url = (name) => new URL(`${folder}/${name}`, import.meta.url);
  return loadCore(createModule, { core: { url: url('dragoman-core.wasm') }, kernels: { url: url('dragoman-relaxed.wasm') } });
}

/** @returns {Promise<any>} an Engine with the model folder at the URL `model` */
export async function load(core, model) {
  const [config, weights, vocabulary] = await Promise.all(
    ['config.json', 'model.safetensors', 'vocab.spm'].map((name) => fetch(`${model}/${name}`)),
  );
  const buffers = [];
  for (const response of [weights, vocabulary]) {
    const buffer = new core.Buffer(Number(response.headers.get('content-length')));
    let offset = 0;
    for await (const chunk of response.body ?? []) {
      buffer.view().set(chunk, offset);
      offset += chunk.length;
    }
    buffers.push(buffer);
  }
  const engine = new core.Engine(await config.text(), buffers[0], buffers[1], null, null, 1);
  for (const buffer of buffers) buffer.delete();
  return engine;
}
