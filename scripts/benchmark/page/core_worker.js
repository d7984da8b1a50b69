/** One repetition in a browser's worker: loads the module and a model over HTTP, measures, answers. */
import { instantiate, load } from './core_load.js';
import { measureCore } from './core_run.mjs';

self.onmessage = async ({ data: { model, sentences, expected } }) => {
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
    postMessage({ error: String(/** @type {Error} */ (error).stack ?? error) });
  }
};
