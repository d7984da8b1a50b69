import { ENGINE_PATIENCE_MS } from '../base/abort.js';
import { fetchResource } from '../base/resource.js';

/**
 * The int8 kernels on relaxed SIMD (src/kernels/int8_product_relaxed.cpp): faster, and the same integers. A module of
 * its own, because a browser without relaxed SIMD would refuse the whole of a module that contains it.
 *
 * @param {import('./core.js').WasmFile} file
 * @returns {Promise<Uint8Array | undefined>} undefined where the browser does not take it, or it cannot be had: it is never
 *   needed
 */
export async function fetchRelaxedKernels({ url, integrity }) {
  try {
    const response = await fetchResource(url, { integrity, signal: AbortSignal.timeout(ENGINE_PATIENCE_MS) });
    if (!response.ok) return undefined;
    const bytes = new Uint8Array(await response.arrayBuffer());
    return WebAssembly.validate(bytes) ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Has the core use them, on all its threads.
 * @param {import('./core.js').Core} core
 * @param {Uint8Array | undefined} kernels
 */
export function useRelaxedKernels(core, kernels) {
  if (!kernels) return;
  const buffer = new core.Buffer(kernels.length);
  buffer.view().set(kernels);
  core.setRelaxedKernels(buffer);
  buffer.delete();
}
