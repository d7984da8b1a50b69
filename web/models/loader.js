import { within } from '../base/abort.js';
import { download } from './download.js';
import { DownloadLock } from './download-lock.js';
import { PartialFile } from './partial-file.js';
import { ModelStore } from './store.js';

/**
 * Brings the files of one model into memory: from the store where they are there and sound, from the network otherwise.
 * Tabs that want the same model at the same time download it once; the others wait and read what the first one stored.
 *
 * @typedef {import('./manifest.js').Model} Model
 * @typedef {import('./manifest.js').ModelFile} ModelFile
 * @typedef {{view: () => Uint8Array, delete: () => void}} Buffer memory inside the wasm module; a view lives until the next await
 */

/**
 * @param {Model} model
 * @returns {string} the Web Lock that is held, across tabs, while this model is being downloaded
 */
export function downloadLock(model) {
  return `dragoman download ${model.id}`;
}

/**
 * @param {Model} model
 * @param {Record<string, Buffer>} buffers by file name, each of its file's size
 * @param {(loaded: number) => void} onLoaded bytes of the whole model that are here
 */
export async function loadModel(model, buffers, onLoaded) {
  const store = new ModelStore();
  /** @type {ModelFile[]} */
  const missing = [];
  for (const file of model.files) {
    if (!(await readStored(store, file, buffers[file.name]))) missing.push(file);
  }
  if (missing.length === 0) return;

  // Tabs that wait for the lock show the progress of the one that downloads.
  const lock = new DownloadLock(downloadLock(model));
  const channel = new BroadcastChannel(downloadLock(model));
  channel.onmessage = ({ data }) => {
    lock.heard();
    onLoaded(data);
  };
  const tell = (/** @type {number} */ bytes) => {
    onLoaded(bytes);
    try {
      channel.postMessage(bytes);
    } catch {
      // Those who wait hear nothing and download for themselves.
    }
  };
  try {
    await lock.hold(async () => {
      let done = model.bytes - missing.reduce((sum, file) => sum + file.bytes, 0);
      for (const file of missing) {
        if (!(await readStored(store, file, buffers[file.name]))) {
          await fetchFile(store, model, file, buffers[file.name], (received) => tell(done + received));
        }
        done += file.bytes;
        onLoaded(done);
      }
      await store.record(model);
    });
  } finally {
    channel.close();
  }
}

/**
 * A stored file that is not what the manifest says (an old fault, a bad disk) is thrown away and fetched again.
 * @param {ModelStore} store
 * @param {ModelFile} file
 * @param {Buffer} buffer
 */
async function readStored(store, file, buffer) {
  const response = await store.open(file);
  if (!response?.body) return false;
  let offset = 0;
  try {
    const reader = response.body.getReader();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      buffer.view().set(piece.value, offset);
      offset += piece.value.length;
    }
    if (offset === file.bytes && (await sha256(unshared(buffer.view()))) === file.sha256) return true;
  } catch (error) {
    console.warn(`Dragoman: the stored ${file.name} cannot be read and is downloaded again.`, error);
  }
  await store.remove(file);
  return false;
}

/**
 * @param {ModelStore} store
 * @param {Model} model
 * @param {ModelFile} file
 * @param {Buffer} buffer
 * @param {(bytes: number) => void} onReceived
 */
async function fetchFile(store, model, file, buffer, onReceived) {
  const partial = new PartialFile(store, model, file, buffer);
  await partial.restore();
  onReceived(partial.held);
  // The store keeps the file; a second copy in the HTTP cache would only take room.
  await download(file, partial, {
    onReceived,
    cache: ModelStore.supported ? 'no-store' : 'default',
    sha256: () => sha256(unshared(buffer.view())),
  });
  await partial.discard();
  await store.put(file, unshared(buffer.view()));
}

/**
 * Neither hashes nor stores take bytes in memory that threads share: those are copied.
 * @param {Uint8Array} bytes
 */
function unshared(bytes) {
  return bytes.buffer instanceof ArrayBuffer ? /** @type {Uint8Array<ArrayBuffer>} */ (bytes) : bytes.slice();
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
async function sha256(bytes) {
  const digest = new Uint8Array(await within(crypto.subtle.digest('SHA-256', bytes)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
