import { Translator } from '../dragoman.js';
import { openDocument, Pace, progressOf, translateSegments } from '../files.js';
import { FileStore } from './file-store.js';

/**
 * A file on its way: chosen, worked on, paused, finished. What it looks like is file-panel.js's.
 *
 * @typedef {import('./file-store.js').Job} Job
 * @typedef {{state: 'working' | 'paused' | 'done' | 'failed' | 'none', job?: Job, done: number, total: number, secondsLeft?: number,
 *   result?: Blob, error?: any}} News
 */

// Few at once: what is typed meanwhile has its place in the engine, too.
const IN_FLIGHT = 6;

export class FileJob {
  #store = new FileStore();
  #tell;
  /** @type {Job | undefined} */
  #job;
  /** What is finished. @type {Map<string, string>} */
  #known = new Map();
  /** The work under way. @type {AbortController | undefined} */
  #run;

  /** @param {(news: News) => void} tell */
  constructor(tell) {
    this.#tell = tell;
  }

  /** Goes on with what was left when the page was. */
  async restore() {
    await this.#store.open();
    const kept = await this.#store.restore();
    if (!kept || this.#job) return;
    this.#job = kept.job;
    this.#known = kept.known;
    await this.#work(kept.job.paused);
  }

  /**
   * @param {File} file
   * @param {{from: string, to: string}} languages
   */
  async begin(file, { from, to }) {
    this.#run?.abort();
    this.#known = new Map();
    const job = (this.#job = { name: file.name, bytes: new Uint8Array(), from, to, paused: false });
    this.#tell({ state: 'working', job, done: 0, total: 0 });
    try {
      job.bytes = new Uint8Array(await file.arrayBuffer());
    } catch (error) {
      return this.#fail(error);
    }
    if (job !== this.#job) return;
    this.#store.begin(job);
    await this.#work(false);
  }

  pause() {
    this.#keepPaused(true);
    this.#run?.abort();
  }

  async resume() {
    this.#keepPaused(false);
    await this.#work(false);
  }

  /** Forgets the file, and what was made of it; says so when a reload would not bring it back. */
  async end() {
    this.#run?.abort();
    this.#job = undefined;
    this.#known = new Map();
    await this.#store.clear();
    if (!this.#job) this.#tell({ state: 'none', done: 0, total: 0 });
  }

  /** @param {boolean} paused */
  #keepPaused(paused) {
    if (!this.#job) return;
    this.#job.paused = paused;
    this.#store.update(this.#job);
  }

  /** @param {boolean} paused only to the point where it could go on */
  async #work(paused) {
    const job = /** @type {Job} */ (this.#job);
    const run = (this.#run = new AbortController());
    const { signal } = run;
    let [done, total] = [0, 0];
    if (paused) run.abort();
    /** @type {Translator | undefined} */
    let translator;
    try {
      const document = await openDocument(job.name, job.bytes);
      if (job !== this.#job) return;
      const pace = new Pace();
      const options = {
        signal,
        inFlight: IN_FLIGHT,
        known: this.#known,
        onProgress: (/** @type {{done: number, total: number}} */ news) => {
          ({ done, total } = news);
          if (!signal.aborted) this.#tell({ state: 'working', job, done, total, secondsLeft: pace.secondsLeft(news) });
        },
        onSegment: (/** @type {string} */ html, /** @type {string} */ translation) => {
          this.#known.set(html, translation);
          this.#store.add(html, translation);
        },
      };
      // How far it is is said before a model is here.
      ({ done, total } = progressOf(document, this.#known));
      this.#tell({ state: paused ? 'paused' : 'working', job, done, total });
      if (paused) return;
      translator = await Translator.create({ sourceLanguage: job.from, targetLanguage: job.to, signal });
      const translations = await translateSegments(document, translator, options);
      if (signal.aborted) return;
      const result = new Blob([document.write(translations, job.to)]);
      this.#tell({ state: 'done', job, done: total, total, result });
    } catch (error) {
      if (job !== this.#job) return;
      if (signal.aborted) this.#tell({ state: 'paused', job, done, total });
      else this.#fail(error);
    } finally {
      translator?.destroy();
    }
  }

  /** @param {unknown} error */
  #fail(error) {
    this.#tell({ state: 'failed', job: this.#job, done: 0, total: 0, error });
    this.#job = undefined;
    // What failed now would fail after a reload.
    this.#store.clear();
  }
}
