import { exception } from '../base/errors.js';
import { fetchResource } from '../base/resource.js';
import { fetchRelaxedKernels, useRelaxedKernels } from './relaxed-kernels.js';

/**
 * What the wasm module has for JavaScript (src/bindings/embind.cpp).
 *
 * @typedef {import('../models/loader.js').Buffer} Buffer
 *
 * @typedef {object} Translation
 * @property {() => string} takeText
 * @property {() => boolean} done
 * @property {() => number} tokens
 * @property {() => number} sentences
 * @property {() => number} sentencesDone
 * @property {() => string[]} alternatives
 * @property {() => Record<keyof import('./alignment.js').Alignment, import('./alignment.js').FlatParts>} alignment when done, of
 *   a text that was started with it
 * @property {() => void} delete
 *
 * @typedef {object} CoreEngine
 * @property {(utf8: Uint8Array, options: {beam: number, alignment: boolean}) => Translation} start
 * @property {() => boolean} step whether there is more to do
 *
 * @typedef {object} Core
 * @property {new (bytes: number) => Buffer} Buffer
 * @property {new (config: string, weights: Buffer, vocabulary: Buffer, targetVocabulary: Buffer | null, shortlist: Buffer | null,
 *   threads: number) => CoreEngine} Engine the files are those of src/engine/model_files.h
 * @property {(module: Buffer) => void} setRelaxedKernels
 * @property {Uint8Array} HEAPU8
 */

/**
 * Compiles the engine while it is still being downloaded, and gives it the fastest kernels that the browser takes.
 *
 * @param {(options: object) => Promise<Core>} createModule Emscripten's
 * @param {{core: URL, kernels: URL}} urls of the wasm files that belong to it
 * @param {object} [options] more for createModule
 * @returns {Promise<Core>}
 */
export async function loadCore(createModule, urls, options) {
  const relaxed = fetchRelaxedKernels(urls.kernels);
  /** @type {Core} */
  const core = await new Promise((resolve, reject) => {
    /**
     * @param {WebAssembly.Imports} imports
     * @param {(instance: WebAssembly.Instance, module: WebAssembly.Module) => void} ready
     */
    const instantiateWasm = (imports, ready) => {
      compile(urls.core, imports).then(({ instance, module }) => ready(instance, module), reject);
      return {};
    };
    createModule({ ...options, instantiateWasm }).then(resolve, reject);
  });
  useRelaxedKernels(core, await relaxed);
  return core;
}

/**
 * @param {URL} url
 * @param {WebAssembly.Imports} imports
 */
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
