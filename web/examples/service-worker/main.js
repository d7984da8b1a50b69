/** The link to the page in German is there as soon as the worker is that makes it. */
const link = document.getElementById('other');
navigator.serviceWorker.register('service-worker.js', { type: 'module' });
navigator.serviceWorker.ready.then(() => (link.hidden = false));
