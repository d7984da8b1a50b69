/**
 * The file that is being translated, and what is finished of it, in IndexedDB: a book outlives a reload. One file at a time, in one tab
 * at a time; where the browser keeps nothing, or another tab has the place, nothing is kept.
 *
 * @typedef {{name: string, bytes: Uint8Array<ArrayBuffer>, from: string, to: string, paused: boolean}} Job
 */
const NAME = 'dragoman file';

export class FileStore {
  /** @type {IDBDatabase | undefined} */
  #database;

  /** Once, before anything else. @returns {Promise<void>} */
  async open() {
    if (!(await isOurs())) return;
    try {
      const request = indexedDB.open(NAME, 1);
      request.onupgradeneeded = () => {
        request.result.createObjectStore('job');
        request.result.createObjectStore('segments');
      };
      this.#database = await result(request);
    } catch (error) {
      console.warn('Dragoman: files cannot be kept for a reload.', error);
    }
  }

  /** @returns {Promise<{job: Job, known: Map<string, string>} | undefined>} what was kept before a reload */
  async restore() {
    if (!this.#database) return undefined;
    const transaction = this.#database.transaction(['job', 'segments']);
    const segments = transaction.objectStore('segments');
    const [job, keys, values] = await Promise.all([
      result(transaction.objectStore('job').get(0)),
      result(segments.getAllKeys()),
      result(segments.getAll()),
    ]);
    return job && { job, known: new Map(keys.map((key, index) => [String(key), values[index]])) };
  }

  /** @param {Job} job with nothing finished */
  begin(job) {
    this.#write((job_, segments) => {
      segments.clear();
      job_.put(job, 0);
    });
  }

  /** @param {Job} job */
  update(job) {
    this.#write((job_) => job_.put(job, 0));
  }

  /**
   * @param {string} html
   * @param {string} translation
   */
  add(html, translation) {
    this.#write((_, segments) => segments.put(translation, html));
  }

  /** @returns {Promise<void>} when a reload would find nothing */
  clear() {
    return this.#write((job_, segments) => {
      job_.clear();
      segments.clear();
    });
  }

  /**
   * @param {(job: IDBObjectStore, segments: IDBObjectStore) => void} what
   * @returns {Promise<void>} when it is written, or cannot be
   */
  async #write(what) {
    if (!this.#database) return;
    try {
      const transaction = this.#database.transaction(['job', 'segments'], 'readwrite');
      what(transaction.objectStore('job'), transaction.objectStore('segments'));
      await new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = () => reject(transaction.error);
      });
    } catch (error) {
      // A full disk: the work goes on, only a reload would lose it.
      console.warn('Dragoman: the file cannot be kept for a reload.', error);
    }
  }
}

/** Whether no other tab has the place; held until this one is gone. */
function isOurs() {
  return new Promise((resolve) => {
    if (!navigator.locks) return resolve(false);
    navigator.locks
      .request(NAME, { ifAvailable: true }, (lock) => {
        resolve(lock !== null);
        return lock ? new Promise(() => {}) : undefined;
      })
      .catch(() => resolve(false));
  });
}

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
function result(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
