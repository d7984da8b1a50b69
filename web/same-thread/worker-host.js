import createModule from '../core/dragoman-core.mjs';
import { loadCore } from '../engine/core.js';
import { integrity } from '../engine/integrity.js';
import { EngineLoop } from '../engine/worker-loop.js';

const wasm = {
  core: {
    url: new URL('../core/dragoman-core.wasm', import.meta.url),
    integrity: integrity['dragoman-core.wasm'],
  },
  kernels: {
    url: new URL('../core/dragoman-relaxed.wasm', import.meta.url),
    integrity: integrity['dragoman-relaxed.wasm'],
  },
};

/**
 * The twin of ../engine/worker-host.js for where no worker can be started: what the worker would do is done here, on the thread
 * that asks, in slices of a few milliseconds, between which everything else gets its turn.
 */
export function startWorker() {
  const { port1, port2 } = new MessageChannel();
  const loop = new EngineLoop({ loadCore: () => loadCore(createModule, wasm), post: (message) => port2.postMessage(message) });
  port2.onmessage = ({ data }) => loop.receive(data);
  const terminate = () => {
    port1.close();
    loop.end();
  };
  return Object.assign(port1, { terminate });
}
