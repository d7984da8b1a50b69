import createModule from './core/dragoman-core.mjs';
import { loadCore } from './engine/core.js';
import { integrity } from './engine/integrity.js';
import { serve } from './engine/worker-loop.js';

/** The worker on one thread: runs anywhere. */

const wasm = {
  core: {
    url: new URL('./core/dragoman-core.wasm', import.meta.url),
    integrity: integrity['dragoman-core.wasm'],
  },
  kernels: {
    url: new URL('./core/dragoman-relaxed.wasm', import.meta.url),
    integrity: integrity['dragoman-relaxed.wasm'],
  },
};

serve({ loadCore: () => loadCore(createModule, wasm) });
