import createModule from './core/dragoman-core.mjs';
import { loadCore } from './engine/core.js';
import { serve } from './engine/worker-loop.js';

/** The worker on one thread: runs anywhere. */

const wasm = {
  core: new URL('./core/dragoman-core.wasm', import.meta.url),
  kernels: new URL('./core/dragoman-relaxed.wasm', import.meta.url),
};

serve({ loadCore: () => loadCore(createModule, wasm) });
