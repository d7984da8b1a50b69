/**
 * A file on its way from the network into memory, of which what has arrived is kept: a reload, a closed tab or an empty battery
 * costs the last stretch of it and not all.
 *
 * @typedef {import('./manifest.js').Model} Model
 * @typedef {import('./manifest.js').ModelFile} ModelFile
 * @typedef {import('./store.js').ModelStore} ModelStore
 * @typedef {import('./loader.js').Buffer} Buffer
 */

// At least so much is written at a time: a small file is not worth it, and each piece of a large one costs a few milliseconds.
const STRETCH = 1 << 19;

export class PartialFile {
  #store;
  #model;
  #file;
  #buffer;
  #kept = 0;
  /** The one change to the store that is under way. @type {Promise<void> | undefined} */
  #changing;
  /** Bytes that are here, from the beginning on. */
  held = 0;
  /** What the server called this state of the file: its ETag, or the date. @type {string | null} */
  version = null;

  /**
   * @param {ModelStore} store
   * @param {Model} model
   * @param {ModelFile} file
   * @param {Buffer} buffer of the file's size
   */
  constructor(store, model, file, buffer) {
    this.#store = store;
    this.#model = model;
    this.#file = file;
    this.#buffer = buffer;
  }

  /** Takes up what an earlier visit has kept. */
  async restore() {
    for (const part of await this.#store.parts(this.#model, this.#file)) {
      // A gap is where a piece was lost.
      if (part.start !== this.held || part.end > this.#file.bytes) break;
      const bytes = new Uint8Array(await part.response.arrayBuffer());
      if (bytes.length !== part.end - part.start) break;
      this.#buffer.view().set(bytes, part.start);
      this.version = part.response.headers.get('etag');
      this.held = part.end;
    }
    this.#kept = this.held;
  }

  /**
   * Starts at the first byte: what was there is of no use.
   * @param {string | null} [version]
   */
  begin(version = null) {
    this.held = 0;
    this.version = version;
    if (this.#kept > 0 || this.#changing) this.#change(() => this.#drop());
  }

  /** @param {Uint8Array} chunk */
  append(chunk) {
    this.#buffer.view().set(chunk, this.held);
    this.held += chunk.length;
    this.#keepMore();
  }

  /** When the file is complete: what is kept would only take its room. */
  async discard() {
    await this.#changing;
    await this.#drop();
  }

  /**
   * One change after the other. One that fails, for want of room say, fails in silence: nothing is lost but the chance to go on.
   * @param {() => Promise<void>} work
   */
  #change(work) {
    const changing = (this.#changing ?? Promise.resolve()).then(work).catch(() => {
      this.#kept = Number.POSITIVE_INFINITY;
    });
    this.#changing = changing;
    changing.then(() => {
      if (this.#changing !== changing) return;
      this.#changing = undefined;
      this.#keepMore();
    });
  }

  #keepMore() {
    if (!this.#changing && this.held < this.#file.bytes && this.held - this.#kept >= STRETCH) this.#change(() => this.#keep());
  }

  async #keep() {
    const [start, end] = [this.#kept, this.held];
    const bytes = this.#buffer.view().slice(start, end);
    await this.#store.putPart(this.#model, this.#file, { start, end, version: this.version }, bytes);
    this.#kept = end;
  }

  async #drop() {
    await this.#store.dropParts(this.#model, this.#file);
    this.#kept = 0;
  }
}
