/** Called by the benchmark from outside: the core in a worker, as in the page. */
globalThis.measure = (task) =>
  new Promise((resolve, reject) => {
    const worker = new Worker('core_worker.js', { type: 'module' });
    worker.onmessage = ({ data }) => (data.error ? reject(new Error(data.error)) : resolve(data));
    worker.onerror = (event) => reject(new Error(event.message ?? 'the worker could not start'));
    worker.postMessage(task);
  });
