/** One repetition in a browser's worker: loads the module and a model over HTTP, measures, answers. */
import createModule from '../core/dragoman-core.mjs';
import { loadCore } from '../core.js';
import { measureCore } from './core_run.mjs';

const wasm = {
  core: new URL('../core/dragoman-core.wasm', import.meta.url),
  kernels: new URL('../core/dragoman-relaxed.wasm', import.meta.url),
};

onmessage = async ({ data: { model, sentences, expected } }) => {
  try {
    const start = performance.now();
    const core = await loadCore(createModule, wasm);
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
  const engine = new core.Engine(await config.text(), ...buffers, 1);
  for (const buffer of buffers) buffer.delete();
  return engine;
}
