import { within } from '../base/abort.js';
import { downloadLock } from './loader.js';
import { ModelStore } from './store.js';

/**
 * How near a route is to being used, in the words of the specification, weakest first: a route is as available as its
 * least available model.
 *
 * @typedef {'unavailable' | 'downloadable' | 'downloading' | 'available'} Availability
 * @typedef {import('./manifest.js').Model} Model
 */
const ORDER = ['unavailable', 'downloadable', 'downloading', 'available'];

/**
 * @param {Model[]} route
 * @returns {Promise<Availability>}
 */
export async function routeAvailability(route) {
  if (route.length === 0) return 'unavailable';
  const states = await Promise.all(route.map(modelAvailability));
  return /** @type {Availability} */ (ORDER[Math.min(...states.map((state) => ORDER.indexOf(state)))]);
}

/** @param {Model} model */
async function modelAvailability(model) {
  // In Node, the package's own models are files on disk.
  if (model.files.every(({ url }) => url.startsWith('file:'))) return 'available';
  if (await new ModelStore().holds(model)) return 'available';
  // Whichever tab downloads holds this lock.
  const { held = [] } = await locks();
  return held.some(({ name }) => name === downloadLock(model)) ? 'downloading' : 'downloadable';
}

/** @returns {Promise<LockManagerSnapshot>} empty where there are none */
async function locks() {
  try {
    return (await within(navigator.locks.query())) ?? {};
  } catch {
    return {};
  }
}
