import { quotaExceeded } from '../base/errors.js';

/**
 * Model files kept on the visitor's machine, by content hash, shared by all tabs of the origin.
 *
 * Cache Storage and not OPFS: a `put` either stores the whole file or nothing, so a closed tab or a full disk never leaves
 * half a model; it works the same in windows, workers and service workers of every browser, also in Firefox's private
 * windows, where OPFS does not; and several tabs may read one file at once, where OPFS's fast access handles are exclusive.
 * What OPFS would add, writing in the middle of a file, is not needed: a broken download resumes in memory.
 *
 * Every entry is a file under its SHA-256, or a record that says which files make a direction.
 *
 * @typedef {import('./manifest.js').Model} Model
 * @typedef {import('./manifest.js').ModelFile} ModelFile
 * @typedef {{sourceLanguage: string, targetLanguage: string, bytes: number, id: string, files: string[]}} StoredModel
 */

const CACHE = 'dragoman-models-1';
// Never fetched: only names, below the page's own origin. Absolute, because in a worker that was started from a blob: URL
// (see engine/worker-host.js) a path alone means nothing.
const ROOT = `${globalThis.origin}/.dragoman/`;

export class ModelStore {
  /** Absent in Node and in browsers that switch storage off; then models live in memory only. */
  static get supported() {
    return globalThis.caches !== undefined;
  }

  /**
   * @param {ModelFile} file
   * @returns {Promise<Response | undefined>}
   */
  async open(file) {
    return (await this.#cache())?.match(fileKey(file.sha256));
  }

  /**
   * @param {ModelFile} file
   * @param {Uint8Array<ArrayBuffer>} bytes already checked against the hash
   */
  async put(file, bytes) {
    const cache = await this.#cache();
    const headers = { 'content-type': 'application/octet-stream', 'content-length': String(bytes.length) };
    try {
      await cache?.put(fileKey(file.sha256), new Response(bytes, { headers }));
    } catch (cause) {
      const { quota = 0, usage = 0 } = (await navigator.storage?.estimate?.()) ?? {};
      // Browsers round the quota they tell, up to many gigabytes; a figure that would have been enough is none.
      const free = Math.max(0, quota - usage);
      throw Object.assign(
        quotaExceeded(
          `There is no room to keep the model file ${file.name} (${bytes.length} bytes). Free some space, or delete a model.`,
          { requested: bytes.length, quota: free < bytes.length ? free : undefined },
        ),
        { cause },
      );
    }
  }

  /** @param {ModelFile} file */
  async remove(file) {
    await (await this.#cache())?.delete(fileKey(file.sha256));
  }

  /**
   * Whether every file of the model is here.
   * @param {Model} model
   */
  async holds(model) {
    const cache = await this.#cache();
    if (!cache) return false;
    const found = await Promise.all(model.files.map((file) => cache.match(fileKey(file.sha256))));
    return found.every(Boolean);
  }

  /**
   * Notes that the model is complete, and drops the files of an older one of the same direction.
   * @param {Model} model
   */
  async record(model) {
    const cache = await this.#cache();
    if (!cache) return;
    const record = {
      sourceLanguage: model.sourceLanguage,
      targetLanguage: model.targetLanguage,
      bytes: model.bytes,
      id: model.id,
      files: model.files.map((file) => file.sha256),
    };
    const previous = await cache.match(recordKey(record));
    await cache.put(recordKey(record), Response.json(record));
    if (previous) await dropUnused(cache, await previous.json());
  }

  /** @returns {Promise<StoredModel[]>} */
  async list() {
    const cache = await this.#cache();
    return cache ? records(cache) : [];
  }

  /**
   * @param {{sourceLanguage: string, targetLanguage: string}} direction
   * @returns {Promise<boolean>} whether there was such a model
   */
  async delete(direction) {
    const cache = await this.#cache();
    const stored = await cache?.match(recordKey(direction));
    if (!cache || !stored) return false;
    await cache.delete(recordKey(direction));
    await dropUnused(cache, await stored.json());
    return true;
  }

  /** Opened anew each time: the visitor may clear the site's data between two calls. */
  async #cache() {
    if (!ModelStore.supported) return undefined;
    try {
      return await caches.open(CACHE);
    } catch {
      // Storage that is switched off (private modes, blocked site data) throws here: work from memory then.
      return undefined;
    }
  }
}

/**
 * @param {Cache} cache
 * @returns {Promise<StoredModel[]>}
 */
async function records(cache) {
  const requests = (await cache.keys()).filter(({ url }) => url.startsWith(`${ROOT}model/`));
  const responses = await Promise.all(requests.map((request) => cache.match(request)));
  return Promise.all(responses.filter((response) => response !== undefined).map((response) => response.json()));
}

/**
 * Two directions may share a file (one vocabulary for both), so a file goes only when no record names it any more.
 * @param {Cache} cache
 * @param {StoredModel} record
 */
async function dropUnused(cache, record) {
  const wanted = new Set((await records(cache)).flatMap(({ files }) => files));
  const unused = record.files.filter((sha256) => !wanted.has(sha256));
  await Promise.all(unused.map((sha256) => cache.delete(fileKey(sha256))));
}

/** @param {string} sha256 */
function fileKey(sha256) {
  return `${ROOT}sha256/${sha256}`;
}

/** @param {{sourceLanguage: string, targetLanguage: string}} direction */
function recordKey({ sourceLanguage, targetLanguage }) {
  return `${ROOT}model/${sourceLanguage}-${targetLanguage}`;
}
