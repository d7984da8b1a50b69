import { untilAborted } from '../base/abort.js';
import { exception } from '../base/errors.js';
import { Route } from '../engine/route.js';
import { catalogue } from './models.js';

/**
 * The engines from one language to the other, loaded.
 * @param {string} source canonical tag
 * @param {string} target canonical tag
 * @param {string | URL | import('../models/manifest.js').ManifestSource | undefined} models take them from here only
 * @param {(fraction: number) => void} report
 * @param {AbortSignal | undefined} signal
 */
export async function openRoute(source, target, models, report, signal) {
  const find = () => untilAborted(catalogue.route(source, target, models), signal);
  const path = await find();
  if (path.length === 0) {
    throw exception('NotSupportedError', `There is no model to translate from ${source} to ${target}.`);
  }
  report(0);
  try {
    return await load(path, report, signal);
  } catch (error) {
    if (/** @type {DOMException} */ (error).name !== 'NetworkError') throw error;
    // The server may have got other models since its list was read.
    catalogue.forget(models);
    const now = await find().catch(() => path);
    signal?.throwIfAborted();
    if (now.length === 0 || identity(now) === identity(path)) throw error;
    return load(now, report, signal);
  }
}

/** @param {import('../models/manifest.js').Model[]} path */
function identity(path) {
  return path.map(({ id, files }) => [id, ...files.map(({ url }) => url)].join(' ')).join(' ');
}

/**
 * @param {import('../models/manifest.js').Model[]} path
 * @param {(fraction: number) => void} report
 * @param {AbortSignal | undefined} signal
 */
async function load(path, report, signal) {
  const route = new Route(path);
  try {
    await untilAborted(route.load(report), signal);
    return route;
  } catch (error) {
    route.release();
    throw error;
  }
}
