import { parentPort, workerData } from 'node:worker_threads';
import { Translator } from '../dragoman.js';

/** One of translators.js: a translator that is told what to translate. */
const translator = Translator.create(workerData);
// Who sends a text is told.
translator.catch(() => {});

parentPort?.on('message', async ({ id, html }) => {
  try {
    const translation = await (await translator).translate(html, { format: 'html' });
    parentPort?.postMessage({ id, translation });
  } catch (error) {
    const { name, message } = /** @type {Error} */ (error);
    parentPort?.postMessage({ id, error: { name, message } });
  }
});
