/**
 * Keeps the page itself (not the models: dragoman.js stores those) so that it opens without a network. All files of a
 * version are fetched together and served together; a new version takes over when the page says so, or at the next visit.
 *
 * @typedef {{version: string, files: Record<string, string>}} Precache by path, the file's hash; scripts/site/site.mjs puts it in
 *   front of this
 */
const worker = /** @type {ServiceWorkerGlobalScope & {precache: Precache}} */ (/** @type {unknown} */ (self));
const PREFIX = 'dragoman-page-';
const CACHE = PREFIX + worker.precache.version;
const paths = Object.keys(worker.precache.files);
const addressOf = (/** @type {string} */ path) => new URL(path, worker.registration.scope).href;
const files = new Set(paths.map(addressOf));
// Of the engine's two builds the page runs one, and says which. The other is kept as soon as it is asked for.
const unused = location.search === '?threads' ? /^core\/dragoman-(core|relaxed)\.|^worker\.js$/ : /threads/;
const INDEX = addressOf('index.html');

worker.addEventListener('install', (event) => {
  // All of this version or nothing: a file of another one, or a captive portal's page, is refused.
  const fresh = paths
    .filter((path) => !unused.test(path))
    .map((path) => new Request(addressOf(path), { cache: 'no-cache', integrity: worker.precache.files[path] }));
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(fresh)));
});

worker.addEventListener('activate', (event) => {
  event.waitUntil(Promise.all([dropOldVersions(), worker.clients.claim()]));
});

worker.addEventListener('message', ({ data }) => {
  if (data === 'take over') worker.skipWaiting();
});

worker.addEventListener('fetch', (event) => {
  const url = new URL(event.request.url);
  url.search = '';
  url.hash = '';
  const wanted = url.href === worker.registration.scope ? INDEX : url.href;
  if (event.request.method === 'GET' && files.has(wanted)) event.respondWith(fromCache(wanted, event.request));
});

/**
 * @param {string} url
 * @param {Request} request
 */
async function fromCache(url, request) {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(url);
  if (kept) return kept;
  // The visitor may have cleared the site's data under a worker that still runs.
  const response = await fetch(request);
  if (response.status === 200) await cache.put(url, response.clone());
  return response;
}

async function dropOldVersions() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(PREFIX) && name !== CACHE).map((name) => caches.delete(name)));
}
