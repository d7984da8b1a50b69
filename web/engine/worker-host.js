import { startTrusted } from '../base/trusted-types.js';

/**
 * Whether the engine may run on several threads: that takes cross-origin isolation, and pays from two cores on. Not in
 * Firefox (seen in 153): when a worker ends that has workers of its own, the next one to start some may hang for ever.
 */
export function mayShareMemory() {
  return globalThis.crossOriginIsolated === true && navigator.hardwareConcurrency > 1 && !/ Firefox\//.test(navigator.userAgent);
}

/**
 * Starts the worker: on several threads where the page may share memory between them. (The npm package's Node
 * entry has node/worker-host.js in this file's place.)
 * @param {{threads: boolean}} options whether threads are wanted if they can be had
 * @returns {Worker}
 */
export function startWorker({ threads }) {
  return startTrusted(() => start(threads && mayShareMemory()));
}

/** @param {boolean} threads */
function start(threads) {
  // A browser starts workers from the page's own origin only. When this module came from another one (a CDN), a blob of
  // one line, which has the page's origin, imports the worker from there. (The origin, not that of the location: a frame
  // with srcdoc has its parent's.)
  if (new URL(import.meta.url).origin !== globalThis.origin) {
    // Spelled in two parts so that bundlers, which never get here, do not copy the unbundled file.
    const url = new URL(['../worker', 'js'].join('.'), import.meta.url).href;
    const blob = new Blob([`import ${JSON.stringify(url)};`], { type: 'text/javascript' });
    const blobUrl = URL.createObjectURL(blob);
    const worker = new Worker(blobUrl, { type: 'module' });
    worker.addEventListener('message', () => URL.revokeObjectURL(blobUrl), { once: true });
    return worker;
  }
  return threads
    ? new Worker(new URL('../worker-threads.js', import.meta.url), { type: 'module' })
    : new Worker(new URL('../worker.js', import.meta.url), { type: 'module' });
}
