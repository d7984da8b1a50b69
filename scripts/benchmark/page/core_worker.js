/** One repetition in a browser's worker: loads the module and a model over HTTP, measures, answers. */
import createModule from '../core/dragoman-core.mjs';
import { fetchRelaxedKernel, useRelaxedKernel } from '../relaxed-kernel.js';
import { measureCore } from './core_run.mjs';

onmessage = async ({ data: { model, sentences, expected } }) => {
  try {
    const start = performance.now();
    const core = await instantiate();
    const moduleReady = performance.now();
    const engine = await load(core, model);
    const modelReady = performance.now();
    const { translations, figures } = measureCore(core, engine, sentences, expected);
    const loading = { loadModuleMs: moduleReady - start, loadModelMs: modelReady - moduleReady };
    postMessage({ translations, figures: { ...loading, ...figures } });
  } catch (error) {
    postMessage({ error: String(error?.stack ?? error) });
  }
};

/** As the site's worker does: with the relaxed kernel where the browser takes it. */
async function instantiate() {
  const relaxed = fetchRelaxedKernel();
  let compiled;
  const core = await new Promise((resolve, reject) => {
    const instantiateWasm = (imports, done) => {
      WebAssembly.instantiateStreaming(fetch('../core/dragoman-core.wasm'), imports)
        .then((result) => done((compiled = result).instance, result.module), reject);
      return {};
    };
    createModule({ instantiateWasm }).then(resolve, reject);
  });
  const kernel = await relaxed;
  if (kernel) await useRelaxedKernel(core, compiled.instance, kernel);
  return core;
}

async function load(core, model) {
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
