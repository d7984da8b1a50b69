import { parentPort } from 'node:worker_threads';

/** What worker.js finds in a web worker and Node's threads lack. In a file of its own, because imports run before anything else. */
Object.assign(globalThis, { self: globalThis, postMessage: (/** @type {any} */ message) => parentPort?.postMessage(message) });
