/** The core's module and a model, loaded over HTTP. */
import { fetchRelaxedKernel, useRelaxedKernel } from '../relaxed-kernel.js';

/**
 * As the site's worker does: with the relaxed kernel where the browser takes it.
 * @param {string} [folder] of the module
 */
export async function instantiate(folder = '../core') {
  const { default: createModule } = await import(`${folder}/dragoman-core.mjs`);
  const relaxed = fetchRelaxedKernel();
  let compiled;
  const core = await new Promise((resolve, reject) => {
    const instantiateWasm = (imports, done) => {
      WebAssembly.instantiateStreaming(fetch(`${folder}/dragoman-core.wasm`), imports)
        .then((result) => done((compiled = result).instance, result.module), reject);
      return {};
    };
    createModule({ instantiateWasm }).then(resolve, reject);
  });
  const kernel = await relaxed;
  if (kernel) await useRelaxedKernel(core, compiled.instance, kernel);
  return core;
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
    for await (const chunk of response.body) {
      buffer.view().set(chunk, offset);
      offset += chunk.length;
    }
    buffers.push(buffer);
  }
  const engine = new core.Engine(await config.text(), ...buffers);
  for (const buffer of buffers) buffer.delete();
  return engine;
}
