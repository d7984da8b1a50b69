import { ENGINE_PATIENCE_MS } from '../base/abort.js';
import { exception } from '../base/errors.js';
import { fetchResource } from '../base/resource.js';
import { fetchRelaxedKernels, useRelaxedKernels } from './relaxed-kernels.js';

/**
 * What the wasm module has for JavaScript (src/bindings/embind.cpp).
 *
 * @typedef {import('../models/loader.js').Buffer} Buffer
 *
 * @typedef {{url: URL, integrity?: string}} WasmFile
 *
 * @typedef {object} Translation
 * @property {() => string} takeText
 * @property {() => boolean} done
 * @property {() => number} tokens
 * @property {() => number} sentences
 * @property {() => number} sentencesDone
 * @property {() => string[]} alternatives
 * @property {() => Record<keyof import('./alignment.js').Alignment, import('./alignment.js').FlatParts>} alignment when done, of
 *   a text that was started with it; of what is written so far, if it was started with attention
 * @property {() => Float32Array[]} headAttention of what is written so far of a text that was started with it: see attention.js
 * @property {() => Record<keyof import('./scores.js').Scores, import('./scores.js').FlatScores>} scores likewise
 * @property {() => NextWord[]} nextWords likewise
 * @property {() => void} delete
 *
 * @typedef {{text: string, probability: number}} NextWord
 *
 * @typedef {object} CoreOptions
 * @property {number} beam
 * @property {boolean} alignment
 * @property {boolean} attention
 * @property {boolean} scores
 * @property {string | Uint8Array} prefix UTF-8
 * @property {boolean} whole
 * @property {number} nextWords
 * @property {{temperature: number, topK: number, topP: number, seed: number}} sampling
 * @property {string | Uint8Array} glossary UTF-8: a line for each pair, a tab between the two
 *
 * @typedef {object} CoreEngine
 * @property {(utf8: Uint8Array, options: CoreOptions) => Translation} start
 * @property {(utf8: Uint8Array, translation?: Uint8Array) => import('./inspection.js').FlatInspection} inspect a sentence and its
 *   translation, the model's own unless it is given
 * @property {() => boolean} step whether there is more to do
 * @property {() => import('./attention.js').Shape} shape of the model
 *
 * @typedef {object} Core
 * @property {new (bytes: number) => Buffer} Buffer
 * @property {new (config: string, weights: Buffer, vocabulary: Buffer, targetVocabulary: Buffer | null, shortlist: Buffer | null,
 *   threads: number) => CoreEngine} Engine the files are those of src/engine/model_files.h
 * @property {() => CoreOptions} defaultOptions
 * @property {(module: Buffer) => void} setRelaxedKernels
 * @property {Uint8Array} HEAPU8
 */

/**
 * Compiles the engine, and gives it the fastest kernels that the browser takes.
 *
 * @param {(options: object) => Promise<Core>} createModule Emscripten's
 * @param {{core: WasmFile, kernels: WasmFile}} files that belong to it
 * @param {object} [options] more for createModule
 * @returns {Promise<Core>}
 */
export async function loadCore(createModule, files, options) {
  const relaxed = fetchRelaxedKernels(files.kernels);
  /** @type {Core} */
  const core = await new Promise((resolve, reject) => {
    /**
     * @param {WebAssembly.Imports} imports
     * @param {(instance: WebAssembly.Instance, module: WebAssembly.Module) => void} ready
     */
    const instantiateWasm = (imports, ready) => {
      compile(files.core, imports).then(({ instance, module }) => ready(instance, module), reject);
      return {};
    };
    createModule({ ...options, instantiateWasm }).then(resolve, reject);
  });
  useRelaxedKernels(core, await relaxed);
  return core;
}

/**
 * @param {WasmFile} file
 * @param {WebAssembly.Imports} imports
 */
async function compile({ url, integrity }, imports) {
  let response;
  try {
    response = await fetchResource(url, { integrity, signal: AbortSignal.timeout(ENGINE_PATIENCE_MS) });
  } catch (cause) {
    throw exception(
      'NetworkError',
      `The translation engine could not be fetched from ${url}, or is not the one that was built.`,
      cause,
    );
  }
  if (!response.ok) throw exception('NetworkError', `The translation engine at ${url} answered ${response.status}.`);
  // A server that does not know .wasm costs the overlap of download and compilation, nothing else.
  return response.headers.get('content-type') === 'application/wasm'
    ? WebAssembly.instantiateStreaming(response, imports)
    : WebAssembly.instantiate(await response.arrayBuffer(), imports);
}
