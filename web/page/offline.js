import { trustedScript } from '../base/trusted-types.js';
import { mayShareMemory } from '../engine/worker-host.js';

/**
 * Registers the service worker, and offers new versions.
 * @param {{update: HTMLElement, reload: HTMLElement}} elements
 * @returns {Promise<boolean>} whether the page itself no longer needs a network
 */
export async function keepForOffline({ update, reload }) {
  if (!('serviceWorker' in navigator)) return false;
  const script = new URL('../service-worker.js', import.meta.url);
  if (mayShareMemory()) script.search = 'threads';
  let registration;
  try {
    registration = await navigator.serviceWorker.register(trustedScript(script));
  } catch (error) {
    // Private modes refuse service workers; the page works all the same, with a network.
    console.warn('Dragoman: this page cannot be kept for use without a network.', error);
    return false;
  }
  const offer = () => (update.hidden = registration.waiting === null);
  const watch = () => registration.installing?.addEventListener('statechange', offer);
  registration.addEventListener('updatefound', watch);
  // It may have been found while this page was still asking.
  watch();
  if (navigator.serviceWorker.controller) offer();

  reload.addEventListener('click', () => {
    // It no longer waits where another tab took it, or the last one that the old version had was closed.
    if (registration.waiting === null) return location.reload();
    navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true });
    registration.waiting.postMessage('take over');
  });
  await navigator.serviceWorker.ready;
  return true;
}
