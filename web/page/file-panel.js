import { duration, endings } from '../files.js';
import { FileJob } from './file-job.js';
import { language, message } from './messages.js';

/**
 * The page's document mode: a file is chosen or dropped, worked on below the texts, and downloaded.
 * @typedef {import('./file-job.js').News} News
 */

// Figures that change faster cannot be read.
const FIGURES_MS = 500;
const TITLES = /** @type {const} */ ({ working: 'fileWorking', paused: 'filePaused', done: 'fileDone', failed: 'fileFailed' });

export class FilePanel {
  #job = new FileJob((news) => this.#show(news));
  #section;
  #languages;
  #title = element('p', 'file-title');
  #bar = element('progress');
  #note = element('span', 'note');
  #pause = button('text-button', () => this.#job.pause());
  #resume = button('text-button', () => this.#job.resume());
  #end = button('text-button', () => this.#job.end());
  #download = element('a', 'solid-button');
  #chooser;
  /** @type {News['state']} */
  #state = 'none';
  #shownAt = 0;

  /**
   * @param {{section: HTMLElement, chooser: HTMLButtonElement, languages: () => {from: string, to: string} | undefined}} where languages:
   *   those that are chosen, when there are some
   */
  constructor({ section, chooser, languages }) {
    this.#section = section;
    this.#chooser = chooser;
    this.#languages = languages;
    const input = element('input');
    Object.assign(input, { type: 'file', accept: endings.join(','), hidden: true, id: 'file-input' });
    input.addEventListener('change', () => {
      this.#begin(input.files?.[0]);
      // The same file may be chosen once more.
      input.value = '';
    });
    chooser.hidden = false;
    chooser.addEventListener('click', () => input.click());
    chooser.after(input);
    section.setAttribute('aria-label', message('file'));
    this.#title.setAttribute('role', 'status');
    this.#bar.setAttribute('aria-label', message('file'));
    this.#pause.textContent = message('filePause');
    this.#resume.textContent = message('fileResume');
    this.#download.textContent = message('fileDownload');
    const foot = element('div', 'file-foot');
    foot.append(this.#note, this.#pause, this.#resume, this.#download, this.#end);
    section.append(this.#title, this.#bar, foot);
    this.#listenForDrops();
    this.#job.restore();
  }

  #listenForDrops() {
    const root = document.documentElement;
    const hasFile = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes('Files');
    addEventListener('dragover', (event) => {
      if (!hasFile(event)) return;
      event.preventDefault();
      root.dataset.drop = message('fileDrop');
    });
    addEventListener('dragleave', ({ relatedTarget }) => relatedTarget === null && delete root.dataset.drop);
    addEventListener('drop', (event) => {
      delete root.dataset.drop;
      if (!hasFile(event)) return;
      event.preventDefault();
      this.#begin(event.dataTransfer?.files[0]);
    });
  }

  /** @param {File | undefined} file */
  #begin(file) {
    const languages = this.#languages();
    if (file && languages) this.#job.begin(file, languages);
  }

  /** @param {News} news */
  #show({ state, job, done, total, secondsLeft, result, error }) {
    const isNew = state !== this.#state;
    if (!isNew && state === 'working' && performance.now() - this.#shownAt < FIGURES_MS && done < total && done > 0) return;
    this.#shownAt = performance.now();
    this.#state = state;
    const name = job?.name ?? '';
    this.#section.hidden = state === 'none';
    if (state === 'none') return this.#chooser.focus();
    const reason = error?.message ?? '';
    const title = message(TITLES[state], { name, reason });
    if (this.#title.textContent !== title) this.#title.textContent = title;
    this.#title.classList.toggle('file-failed', state === 'failed');
    this.#bar.hidden = state === 'failed' || state === 'done';
    if (total > 0) this.#bar.value = done / total;
    else this.#bar.removeAttribute('value');
    const percent = total > 0 ? Math.floor((100 * done) / total) : 0;
    const time = secondsLeft === undefined ? '' : duration(secondsLeft, language);
    if (state === 'working') this.#note.textContent = message(time ? 'fileLeft' : 'filePercent', { percent, time });
    else
      this.#note.textContent =
        state === 'paused' ? message('filePercent', { percent }) : state === 'done' ? message('fileKept') : '';
    this.#offer(result, job);
    if (isNew) this.#buttons(state);
  }

  /** @param {News['state']} state */
  #buttons(state) {
    const focused = this.#section.contains(document.activeElement);
    this.#pause.hidden = state !== 'working';
    this.#resume.hidden = state !== 'paused';
    this.#end.textContent = message(state === 'working' || state === 'paused' ? 'fileCancel' : 'fileClose');
    // Whoever used a button that is gone goes on with the one in its place.
    if (focused) [this.#pause, this.#resume, this.#download, this.#end].find((one) => !one.hidden)?.focus();
  }

  /**
   * @param {Blob | undefined} result
   * @param {import('./file-store.js').Job | undefined} job
   */
  #offer(result, job) {
    if (this.#download.href) URL.revokeObjectURL(this.#download.href);
    this.#download.removeAttribute('href');
    this.#download.hidden = !result;
    if (!result || !job) return;
    this.#download.href = URL.createObjectURL(result);
    this.#download.download = job.name.replace(/(\.[^.]+)$/, `.${job.to}$1`);
  }
}

/**
 * @template {keyof HTMLElementTagNameMap} N
 * @param {N} name
 * @param {string} [className]
 * @returns {HTMLElementTagNameMap[N]}
 */
function element(name, className = '') {
  return Object.assign(document.createElement(name), { className });
}

/**
 * @param {string} className
 * @param {() => void} onClick
 */
function button(className, onClick) {
  const made = Object.assign(element('button', className), { type: 'button' });
  made.addEventListener('click', onClick);
  return made;
}
