import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';

/**
 * The twin of ../base/resource.js for Node: also reads file: URLs, as the models and the wasm module of an installed package are.
 * @param {string | URL} url
 * @param {RequestInit} [options]
 * @returns {Promise<Response>}
 */
export async function fetchResource(url, options) {
  const { protocol, pathname } = new URL(url);
  if (protocol !== 'file:') return fetch(url, options);
  const path = new URL(url);
  path.search = '';
  try {
    await stat(path);
  } catch {
    return new Response(null, { status: 404 });
  }
  const type = pathname.endsWith('.wasm') ? 'application/wasm' : 'application/octet-stream';
  const body = /** @type {any} */ (Readable.toWeb(createReadStream(path)));
  return new Response(body, { headers: { 'content-type': type } });
}
