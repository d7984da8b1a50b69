/** Keeps the page itself for when there is no network. The models are kept by Dragoman. */
const CACHE = 'firefox-models-page'; // as in main.js

addEventListener('activate', (event) => event.waitUntil(clients.claim()));

addEventListener('fetch', (event) => {
  const { pathname } = new URL(event.request.url);
  if (pathname.includes('/remote-settings/') && !pathname.endsWith('records.json')) return;
  event.respondWith(fresh(event.request));
});

/** From the network if there is one: what is kept is never older than the last visit. */
async function fresh(request) {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(request);
    if (kept) return kept;
    throw error;
  }
}
