import { Worker } from 'node:worker_threads';

/**
 * The twin of ../engine/worker-host.js for Node: a worker thread with the few members of the web's Worker that engine.js uses.
 * Like any open resource it keeps the process alive until it is closed: `translator.destroy()`.
 *
 * @typedef {object} Host
 * @property {(message: any) => void} postMessage
 * @property {() => void} terminate
 * @property {(event: {data: any}) => void} [onmessage]
 * @property {(event: {message: string}) => void} [onerror]
 */
export function startWorker() {
  const thread = new Worker(new URL('./node-worker.js', import.meta.url));
  /** @type {Host} */
  const host = {
    postMessage: (message) => thread.postMessage(message),
    terminate: () => void thread.terminate(),
  };
  thread.on('message', (data) => host.onmessage?.({ data }));
  thread.on('error', ({ message }) => host.onerror?.({ message }));
  thread.on('exit', () => host.onerror?.({ message: 'it ended without a word' }));
  return host;
}
