/**
 * Starts the worker. (The npm package's Node entry has node/worker-host.js in this file's place.)
 * @returns {Worker}
 */
export function startWorker() {
  // A browser starts workers from the page's own origin only. When this module came from another one (a CDN), a blob of
  // one line, which has the page's origin, imports the worker from there. (The origin, not that of the location: a frame
  // with srcdoc has its parent's.)
  if (new URL(import.meta.url).origin !== globalThis.origin) {
    // Spelled in two parts so that bundlers, which never get here, do not copy the unbundled file.
    const url = new URL(['./worker', 'js'].join('.'), import.meta.url).href;
    const blob = new Blob([`import ${JSON.stringify(url)};`], { type: 'text/javascript' });
    const blobUrl = URL.createObjectURL(blob);
    const worker = new Worker(blobUrl, { type: 'module' });
    worker.addEventListener('message', () => URL.revokeObjectURL(blobUrl), { once: true });
    return worker;
  }
  return new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
}
