import { Translator } from '../api/translator.js';
import { nextTask } from '../base/abort.js';
import { exception } from '../base/errors.js';
import { sheet } from './style.js';

/**
 * `<dragoman-translate>`: a translator as one element. A text box, its translation, and in a form the translation as the
 * element's value.
 *
 * Attributes: source-language, target-language, name, value (the first text), placeholder, disabled, source-label,
 * target-label, models. Colours and spacing: the custom properties at the top of style.js; parts: source, target,
 * status. Events: `input` while typing, `change` when a translation is complete, `error` with the error in `detail`.
 *
 * @example
 * <script type="module" src="https://cdn.example/dragoman/element.js"></script>
 * <form>
 *   <dragoman-translate name="german" source-language="en" target-language="de"></dragoman-translate>
 *   <button>Send</button>
 * </form>
 */

const PAUSE_MS = 150;
const ANNOUNCE_AFTER_MS = 1000;

export class DragomanTranslate extends HTMLElement {
  static {
    // A minifier renames the class, but not what pages see.
    Object.defineProperty(DragomanTranslate, 'name', { value: 'DragomanTranslate' });
  }

  static formAssociated = true;
  static observedAttributes = ['source-language', 'target-language', 'placeholder', 'source-label', 'target-label', 'models'];

  #internals = this.attachInternals();
  #source;
  #target;
  #status;
  #bar;
  #retry;
  #announcer;
  /** @type {Promise<Translator> | undefined} */
  #translator;
  /** Ends the translator and its creation. */
  #life = new AbortController();
  /** @type {AbortController | undefined} */
  #run;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #announcing;

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open', delegatesFocus: true });
    root.adoptedStyleSheets = [sheet()];
    this.#source = make('textarea', { part: 'source', rows: 4, dir: 'auto' });
    const readOnly = { role: 'textbox', tabindex: 0, 'aria-readonly': 'true', 'aria-multiline': 'true' };
    this.#target = make('div', { part: 'target', dir: 'auto', ...readOnly });
    this.#bar = make('progress', { max: 1, 'aria-label': 'Downloading the model', hidden: '' });
    this.#retry = make('button', { type: 'button', hidden: '' });
    this.#retry.textContent = 'Try again';
    this.#status = make('p', { part: 'status', role: 'alert' });
    this.#announcer = make('p', { class: 'announcer', role: 'status' });
    root.append(this.#source, this.#target, this.#status, this.#bar, this.#retry, this.#announcer);
    this.#source.addEventListener('input', () => this.#schedule(PAUSE_MS));
    // Models are large: fetched when somebody is about to type, not when the page loads.
    this.#source.addEventListener('focus', () => this.#obtain().catch(() => {}));
    this.#retry.addEventListener('click', () => this.#schedule(0));
  }

  connectedCallback() {
    this.#label();
    if (!this.#source.value && this.getAttribute('value')) this.formResetCallback();
  }

  /** The element may only be moving within the page; a task later it is either there again or gone. */
  disconnectedCallback() {
    nextTask().then(() => !this.isConnected && this.#reset(exception('AbortError', 'The element was removed.')));
  }

  /**
   * @param {string} name
   * @param {string | null} before
   * @param {string | null} after
   */
  attributeChangedCallback(name, before, after) {
    if (before === after) return;
    this.#label();
    if (!/language|models/.test(name)) return;
    this.#reset(exception('AbortError', 'The language was changed.'));
    if (this.isConnected && this.#source.value) this.#schedule(0);
  }

  /** The text to translate. @returns {string} */
  get value() {
    return this.#source.value;
  }

  set value(text) {
    this.#source.value = text;
    if (this.isConnected) this.#schedule(0);
  }

  /** The translation, as far as it is. @returns {string} */
  get translation() {
    return this.#target.textContent;
  }

  get name() {
    return this.getAttribute('name') ?? '';
  }

  get form() {
    return this.#internals.form;
  }

  formResetCallback() {
    this.value = this.getAttribute('value') ?? '';
  }

  /** @param {boolean} disabled */
  formDisabledCallback(disabled) {
    this.#source.disabled = disabled;
  }

  /** @param {string} state */
  formStateRestoreCallback(state) {
    this.value = state;
  }

  #label() {
    const [from, to] = [this.getAttribute('source-language') ?? '', this.getAttribute('target-language') ?? ''];
    this.#source.lang = from;
    this.#target.lang = to;
    this.#source.placeholder = this.getAttribute('placeholder') ?? '';
    this.#source.setAttribute('aria-label', this.getAttribute('source-label') ?? 'Text to translate');
    this.#target.setAttribute('aria-label', this.getAttribute('target-label') ?? 'Translation');
  }

  #obtain() {
    if (this.#translator) return this.#translator;
    const translator = Translator.create({
      // A language that is missing is the translator's to refuse.
      sourceLanguage: /** @type {string} */ (this.getAttribute('source-language') ?? undefined),
      targetLanguage: /** @type {string} */ (this.getAttribute('target-language') ?? undefined),
      models: this.getAttribute('models') ?? undefined,
      signal: this.#life.signal,
      monitor: (monitor) => {
        monitor.addEventListener('downloadprogress', ({ loaded }) => {
          this.#bar.value = loaded;
          this.#bar.hidden = loaded === 0 || loaded === 1;
        });
      },
    });
    this.#translator = translator;
    translator.catch(() => this.#translator === translator && (this.#translator = undefined));
    return translator;
  }

  /** @param {number} delay */
  #schedule(delay) {
    clearTimeout(this.#timer);
    clearTimeout(this.#announcing);
    this.#run?.abort();
    this.#timer = setTimeout(() => this.#translate(), delay);
  }

  async #translate() {
    this.#run = new AbortController();
    const { signal } = this.#run;
    const text = this.#source.value;
    this.#status.textContent = '';
    this.#retry.hidden = true;
    this.#internals.setValidity({});
    try {
      const translator = await this.#obtain();
      signal.throwIfAborted();
      let fresh = '';
      for await (const piece of translator.translateStreaming(text, { signal })) this.#target.textContent = fresh += piece;
      if (!fresh) this.#target.textContent = '';
      this.#internals.setFormValue(fresh, text);
      this.#announcing = setTimeout(() => this.#announce(fresh), ANNOUNCE_AFTER_MS);
      this.dispatchEvent(new Event('change', { bubbles: true }));
    } catch (error) {
      if (!signal.aborted && !this.#life.signal.aborted) this.#fail(error);
    }
  }

  /** @param {string} text */
  #announce(text) {
    this.#announcer.lang = this.#target.lang;
    this.#announcer.textContent = text;
  }

  /** @param {any} error */
  #fail(error) {
    this.#bar.hidden = true;
    this.#status.textContent = error.message;
    this.#retry.hidden = false;
    // A form that would send no translation, or an old one, must not be sent.
    this.#internals.setValidity({ customError: true }, error.message, this.#source);
    this.dispatchEvent(new CustomEvent('error', { detail: error }));
  }

  /** @param {DOMException} reason */
  #reset(reason) {
    this.#life.abort(reason);
    this.#life = new AbortController();
    this.#translator = undefined;
    this.#bar.hidden = true;
  }
}

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string | number>} attributes
 */
function make(name, attributes) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

customElements.define('dragoman-translate', DragomanTranslate);
