import { exception } from '../base/errors.js';
import { fetchRelaxedKernels, useRelaxedKernels } from './relaxed-kernels.js';
import { fetchResource } from '../base/resource.js';

/**
 * Compiles the engine while it is still being downloaded, and gives it the fastest kernels that the browser takes.
 *
 * @param {(options: object) => Promise<any>} createModule Emscripten's
 * @param {{core: URL, kernels: URL}} urls of the wasm files that belong to it
 * @param {object} [options] more for createModule
 * @returns {Promise<any>} the Embind module (src/bindings/embind.cpp)
 */
export async function loadCore(createModule, urls, options) {
  const relaxed = fetchRelaxedKernels(urls.kernels);
  const core = await new Promise((resolve, reject) => {
    const instantiateWasm = (imports, ready) => {
      compile(urls.core, imports).then(({ instance, module }) => ready(instance, module), reject);
      return {};
    };
    createModule({ ...options, instantiateWasm }).then(resolve, reject);
  });
  useRelaxedKernels(core, await relaxed);
  return core;
}

async function compile(url, imports) {
  let response;
  try {
    response = await fetchResource(url);
  } catch (cause) {
    throw exception('NetworkError', `The translation engine could not be fetched from ${url}.`, cause);
  }
  if (!response.ok) throw exception('NetworkError', `The translation engine at ${url} answered ${response.status}.`);
  // A server that does not know .wasm costs the overlap of download and compilation, nothing else.
  return response.headers.get('content-type') === 'application/wasm'
    ? WebAssembly.instantiateStreaming(response, imports)
    : WebAssembly.instantiate(await response.arrayBuffer(), imports);
}
