/** The core's parts in a browser's worker: core_bench with the kernels and the ceilings that are modules of their own. */
import createModule from '../core/core_bench.mjs';

self.onmessage = async ({ data: { task, model } }) => {
  try {
    const { bench, modules } = await load();
    if (task === 'kernels') postMessage(JSON.parse(bench.kernels(modules)));
    else postMessage(JSON.parse(await growth(bench, modules.chosen, model)));
  } catch (error) {
    postMessage({ error: String(/** @type {Error} */ (error).stack ?? error) });
  }
};

async function growth(bench, kernel, model) {
  const [config, weights] = await Promise.all(['config.json', 'model.safetensors'].map((name) => fetch(`${model}/${name}`)));
  return bench.growth(kernel, await config.text(), await weights.arrayBuffer());
}

/** @returns {Promise<{bench: any, modules: Record<string, number>}>} modules: indices in the function table */
async function load() {
  /** @type {any} */
  let exports;
  const bench = await new Promise((resolve, reject) => {
    const instantiateWasm = (imports, done) => {
      WebAssembly.instantiateStreaming(fetch('../core/core_bench.wasm'), imports).then(({ instance, module }) => {
        exports = instance.exports;
        done(instance, module);
      }, reject);
      return {};
    };
    createModule({ instantiateWasm }).then(resolve, reject);
  });
  const memory = /** @type {WebAssembly.Memory} */ (Object.values(exports).find((value) => value instanceof WebAssembly.Memory));
  /** @returns {Promise<any>} */
  const beside = async (name) =>
    (await WebAssembly.instantiateStreaming(fetch(`../core/${name}.wasm`), { env: { memory } })).instance.exports;
  const [relaxed, ceilings] = [await beside('dragoman-relaxed'), await beside('kernel-ceilings')];
  const pairs = bench.addFunction(relaxed.accumulate_int8_pairs, 'viiiiii');
  const dot = bench.addFunction(relaxed.accumulate_int8_dot, 'viiiiii');
  const modules = {
    pairs,
    dot,
    stream: bench.addFunction(ceilings.stream, 'iii'),
    issuePlain: bench.addFunction(ceilings.issue_plain, 'iii'),
    issuePairs: bench.addFunction(ceilings.issue_pairs, 'iii'),
    issueDot: bench.addFunction(ceilings.issue_dot, 'iii'),
    // As src/bindings/embind.cpp does.
    chosen: relaxed.probe_dot(127, 255) === 2 * 32767 ? pairs : dot,
  };
  return { bench, modules };
}
