/**
 * Fetches what Dragoman is made of: manifest, wasm, model files. (The npm package's Node entry has node/resource.js in this
 * file's place: there they may also be files on disk, which Node's fetch does not read.)
 * @param {string | URL} url
 * @param {RequestInit} [options]
 * @returns {Promise<Response>}
 */
export function fetchResource(url, options) {
  return fetch(url, options);
}
