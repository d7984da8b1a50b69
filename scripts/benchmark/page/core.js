/** Called by the benchmark from outside: the core in a worker, as in the page. `script` answers `task` with one message. */
globalThis.measure = (task, script = 'core_worker.js') =>
  new Promise((resolve, reject) => {
    const worker = new Worker(script, { type: 'module' });
    worker.onmessage = ({ data }) => (data.error ? reject(new Error(data.error)) : resolve(data));
    worker.onerror = (event) => reject(new Error(event.message ?? 'the worker could not start'));
    worker.postMessage(task);
  });
