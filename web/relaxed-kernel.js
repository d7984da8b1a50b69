import { fetchResource } from './resource.js';

/**
 * The int8 kernels on relaxed SIMD (src/kernels/int8_product_relaxed.cpp): faster, and the same integers. A module of
 * its own, because a browser without relaxed SIMD would refuse the whole of a module that contains it.
 *
 * @returns {Promise<WebAssembly.Module | undefined>} undefined where the browser does not take it, or it cannot be had: it is
 *   never needed
 */
export async function fetchRelaxedKernel(url = new URL('./core/dragoman-relaxed.wasm', import.meta.url)) {
  try {
    const response = await fetchResource(url);
    if (!response.ok) return undefined;
    const bytes = await response.arrayBuffer();
    return WebAssembly.validate(bytes) ? await WebAssembly.compile(bytes) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Puts the kernel into the core's function table, over the core's memory, and has the core use it.
 * @param {any} core
 * @param {WebAssembly.Instance} instance the core's
 * @param {WebAssembly.Module} kernel
 */
export async function useRelaxedKernel(core, instance, kernel) {
  // Emscripten shortens the names of its exports: memory is found by its type.
  const memory = Object.values(instance.exports).find((value) => value instanceof WebAssembly.Memory);
  const { exports } = await WebAssembly.instantiate(kernel, { env: { memory } });
  core.useInt8Kernel(core.addFunction(fastest(exports), 'viiiiii'));
}

/** The kernel that suits this processor: the dot product's answer to bytes out of range tells what it is made of. */
function fastest(exports) {
  const madeOfPairs = exports.probe_dot(127, 255) === 2 * 32767;
  return madeOfPairs ? exports.accumulate_int8_pairs : exports.accumulate_int8_dot;
}
