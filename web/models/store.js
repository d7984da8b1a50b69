import { within } from '../base/abort.js';
import { quotaExceeded } from '../base/errors.js';

/**
 * Model files kept on the visitor's machine, by content hash, shared by all tabs of the origin.
 *
 * Cache Storage and not OPFS: a `put` either stores the whole file or nothing, so a closed tab or a full disk never leaves
 * half a model; it works the same in windows, workers and service workers of every browser, also in Firefox's private
 * windows, where OPFS does not; and several tabs may read one file at once, where OPFS's fast access handles are exclusive.
 * What OPFS would add, writing in the middle of a file, is not needed: what there is of a broken download is kept in pieces.
 *
 * Every entry is a file under its SHA-256, a record that says which files make a direction, or a piece of a file that is on its
 * way. Pieces go when their file is whole, or when another model of their direction is.
 *
 * A store that fails, or does not answer, is done without: the model is in memory all the same, and only the next visit downloads
 * again. A full one is told to the visitor, who can do something about it.
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
  /**
   * Absent in Node and in browsers that switch storage off; in Deno and in extensions it takes no addresses but the web's. Then
   * models live in memory only.
   */
  static get supported() {
    return globalThis.caches !== undefined && /^https?:/.test(ROOT);
  }

  /**
   * @param {ModelFile} file
   * @returns {Promise<Response | undefined>}
   */
  open(file) {
    return this.#use(undefined, (cache) => cache.match(fileKey(file.sha256)));
  }

  /**
   * @param {ModelFile} file
   * @param {Uint8Array<ArrayBuffer>} bytes already checked against the hash
   */
  put(file, bytes) {
    const headers = { 'content-type': 'application/octet-stream', 'content-length': String(bytes.length) };
    return this.#use(undefined, async (cache) => {
      try {
        await cache.put(fileKey(file.sha256), new Response(bytes, { headers }));
      } catch (cause) {
        throw isFull(cause) ? { exception: await full(file, cause) } : cause;
      }
    });
  }

  /**
   * The pieces that are kept of a file, in order.
   * @param {Model} model
   * @param {ModelFile} file
   */
  parts(model, file) {
    const root = partsRoot(model, file);
    return this.#use([], async (cache) => {
      const parts = await Promise.all(
        (await keysBelow(cache, root)).map(async (request) => {
          const [start, end] = request.url.slice(root.length).split('-').map(Number);
          return { start, end, response: /** @type {Response} */ (await cache.match(request)) };
        }),
      );
      return parts.filter(({ response }) => response).sort((a, b) => a.start - b.start);
    });
  }

  /**
   * @param {Model} model
   * @param {ModelFile} file
   * @param {{start: number, end: number, version: string | null}} range of the file, and what the server called the file's state
   * @param {Uint8Array<ArrayBuffer>} bytes
   */
  async putPart(model, file, { start, end, version }, bytes) {
    const response = new Response(bytes, { headers: version ? { etag: version } : {} });
    const cache = await this.#cache();
    await within(Promise.resolve(cache?.put(`${partsRoot(model, file)}${start}-${end}`, response)));
  }

  /**
   * @param {Model} model
   * @param {ModelFile} file
   */
  dropParts(model, file) {
    return this.#use(undefined, (cache) => dropBelow(cache, partsRoot(model, file)));
  }

  /** @param {ModelFile} file */
  async remove(file) {
    await this.#use(false, (cache) => cache.delete(fileKey(file.sha256)));
  }

  /**
   * Whether every file of the model is here.
   * @param {Model} model
   */
  holds(model) {
    return this.#use(false, async (cache) => {
      const found = await Promise.all(model.files.map((file) => cache.match(fileKey(file.sha256))));
      return found.every(Boolean);
    });
  }

  /**
   * Notes that the model is complete, and drops the files of an older one of the same direction.
   * @param {Model} model
   */
  record(model) {
    const record = {
      sourceLanguage: model.sourceLanguage,
      targetLanguage: model.targetLanguage,
      bytes: model.bytes,
      id: model.id,
      files: model.files.map((file) => file.sha256),
    };
    return this.#use(undefined, async (cache) => {
      const previous = await cache.match(recordKey(record));
      await cache.put(recordKey(record), Response.json(record));
      if (previous) await dropUnused(cache, await previous.json());
      await dropBelow(cache, partsRoot(record));
    });
  }

  /** @returns {Promise<StoredModel[]>} */
  list() {
    return this.#use([], records);
  }

  /**
   * @param {{sourceLanguage: string, targetLanguage: string}} direction
   * @returns {Promise<boolean>} whether there was such a model
   */
  async delete(direction) {
    const cache = await this.#cache();
    return cache ? within(deleteModel(cache, direction)) : false;
  }

  /**
   * @template T
   * @param {T} otherwise the result if there is no store, or it fails
   * @param {(cache: Cache) => Promise<T>} work
   * @returns {Promise<T>}
   */
  async #use(otherwise, work) {
    const cache = await this.#cache();
    if (!cache) return otherwise;
    try {
      return await within(work(cache));
    } catch (error) {
      // Only a file for which there is no room is told. A full store may also refuse to forget, or to note, something: that
      // costs no more than another failure.
      const { exception } = /** @type {{exception?: DOMException}} */ (error ?? {});
      if (exception) throw exception;
      console.warn('Dragoman: the store of models fails.', error);
      return otherwise;
    }
  }

  /** Opened anew each time: the visitor may clear the site's data between two calls. */
  async #cache() {
    if (!ModelStore.supported) return undefined;
    try {
      return await within(caches.open(CACHE));
    } catch {
      // Storage that is switched off (private modes, blocked site data) throws here: work from memory then.
      return undefined;
    }
  }
}

/** @param {unknown} error */
function isFull(error) {
  // Firefox lets an error of its own through, which is no DOMException.
  return /^(QuotaExceededError|NS_ERROR_FILE_NO_DEVICE_SPACE)$/.test(/** @type {any} */ (error)?.name);
}

/**
 * @param {ModelFile} file
 * @param {unknown} cause
 */
async function full(file, cause) {
  /** @type {StorageEstimate} */
  const { quota = 0, usage = 0 } = (await navigator.storage?.estimate?.().catch(() => undefined)) ?? {};
  // Browsers round the quota they tell, up to many gigabytes; a figure that would have been enough is none.
  const free = Math.max(0, quota - usage);
  const message = `There is no room to keep the model file ${file.name} (${file.bytes} bytes). Free some space, or delete a model.`;
  const error = quotaExceeded(message, { requested: file.bytes, quota: free < file.bytes ? free : undefined });
  return Object.assign(error, { cause });
}

/**
 * @param {Cache} cache
 * @param {{sourceLanguage: string, targetLanguage: string}} direction
 */
async function deleteModel(cache, direction) {
  await dropBelow(cache, partsRoot(direction));
  const stored = await cache.match(recordKey(direction));
  if (!stored) return false;
  await cache.delete(recordKey(direction));
  await dropUnused(cache, await stored.json());
  return true;
}

/**
 * @param {Cache} cache
 * @returns {Promise<StoredModel[]>}
 */
async function records(cache) {
  const requests = await keysBelow(cache, `${ROOT}model/`);
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

/**
 * @param {Cache} cache
 * @param {string} root
 */
async function keysBelow(cache, root) {
  return (await cache.keys()).filter(({ url }) => url.startsWith(root));
}

/**
 * @param {Cache} cache
 * @param {string} root
 */
async function dropBelow(cache, root) {
  await Promise.all((await keysBelow(cache, root)).map((request) => cache.delete(request)));
}

/**
 * Where the pieces of a direction's files are, or of one of them.
 * @param {{sourceLanguage: string, targetLanguage: string}} direction
 * @param {ModelFile} [file]
 */
function partsRoot({ sourceLanguage, targetLanguage }, file) {
  return `${ROOT}part/${sourceLanguage}-${targetLanguage}/${file ? `${file.sha256}/` : ''}`;
}

/** @param {string} sha256 */
function fileKey(sha256) {
  return `${ROOT}sha256/${sha256}`;
}

/** @param {{sourceLanguage: string, targetLanguage: string}} direction */
function recordKey({ sourceLanguage, targetLanguage }) {
  return `${ROOT}model/${sourceLanguage}-${targetLanguage}`;
}
