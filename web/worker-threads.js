import { trustWorkers } from './base/trusted-types.js';
import createModule from './core/dragoman-core-threads.mjs';
import { loadCore } from './engine/core.js';
import { integrity } from './engine/integrity.js';
import { serve } from './engine/worker-loop.js';

/** The worker on several threads, for pages that are cross-origin isolated: only those may share memory between threads. */

// More share the same memory bandwidth, and the page needs a core, too.
const MOST_THREADS = 4;

const wasm = {
  core: {
    url: new URL('./core/dragoman-core-threads.wasm', import.meta.url),
    integrity: integrity['dragoman-core-threads.wasm'],
  },
  kernels: {
    url: new URL('./core/dragoman-relaxed-threads.wasm', import.meta.url),
    integrity: integrity['dragoman-relaxed-threads.wasm'],
  },
};
const scripts = {
  // What every thread loads; the first is a file of its own also for bundlers, which would inline one so small.
  worker: new URL('./core/dragoman-core-threads.worker.js?no-inline', import.meta.url).href,
  module: new URL('./core/dragoman-core-threads.mjs', import.meta.url).href,
};

// Emscripten starts those threads by their address.
trustWorkers();

// The engine does without a thread that cannot start. Emscripten throws the failed worker's event, which would otherwise
// reach the page as a crash of this worker.
self.addEventListener('error', (event) => {
  if (event.error instanceof Event) event.preventDefault();
});

serve({
  loadCore: () => loadCore(createModule, wasm, { locateFile: () => scripts.worker, mainScriptUrlOrBlob: scripts.module }),
  threads: Math.min(navigator.hardwareConcurrency, MOST_THREADS),
});
