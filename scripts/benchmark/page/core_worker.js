/** One repetition in a browser's worker: loads the module and a model over HTTP, measures, answers. */
import createModule from '../core/dragoman-core.mjs';
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

function instantiate() {
  return new Promise((resolve, reject) => {
    const instantiateWasm = (imports, done) => {
      WebAssembly.instantiateStreaming(fetch('../core/dragoman-core.wasm'), imports)
        .then(({ instance, module }) => done(instance, module), reject);
      return {};
    };
    createModule({ instantiateWasm }).then(resolve, reject);
  });
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
