import { parentPort } from 'node:worker_threads';
import './worker-globals.js';
import '../worker.js';

/** The thread behind worker-host.js: the web's worker, with Node's port as its mailbox. */
parentPort?.on('message', (data) => /** @type {any} */ (globalThis).onmessage({ data }));
