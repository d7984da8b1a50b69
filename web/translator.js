import { nextTask, untilAborted } from './abort.js';
import { routeAvailability } from './availability.js';
import { exception, quotaExceeded } from './errors.js';
import { canonicalTag } from './language-tag.js';
import { catalogue } from './models.js';
import { CreateMonitor, DownloadProgress } from './progress.js';
import { Route } from './route.js';

/**
 * @typedef {object} TranslatorLanguages
 * @property {string} sourceLanguage BCP 47 tag
 * @property {string} targetLanguage BCP 47 tag
 * @property {string | URL | import('./manifest.js').ManifestSource} [models] extension: take models from here only
 *
 * @typedef {object} TranslatorEvents
 * @property {AbortSignal} [signal] aborts the creation; afterwards, destroys the translator
 * @property {(monitor: CreateMonitor) => void} [monitor]
 *
 * @typedef {object} TranslateOptions
 * @property {AbortSignal} [signal]
 * @property {(statistics: {tokens: number, sentences: number, sentencesDone: number, memory: number}) => void} [onStatistics]
 *   extension: counts so far, told before each piece of text; `memory` is the wasm memory in bytes
 * @property {'text' | 'html'} [format] extension
 * @property {number} [alternatives] extension
 * @property {boolean} [alignment] extension
 */

// The most a single call may hold, in UTF-16 code units: what fits, several times over, in the engine's 32-bit memory.
const INPUT_QUOTA = 2 ** 24;
// A letter, a digit or a mark: without any, there is nothing to translate, and the text comes back as it is.
const TRANSLATABLE = /[\p{L}\p{N}\p{M}]/u;

const constructing = Symbol('the key to the constructor');

// A translator that nobody holds any more but that still works on a call must not be collected: its engine would end.
const busy = new Set();
// The engine of a translator that was forgotten without destroy() is given back when the collector finds it.
const forgotten = new FinalizationRegistry((route) => route.release());

export class Translator {
  #route;
  #sourceLanguage;
  #targetLanguage;
  #destruction = new AbortController();
  #pending = 0;

  /** Not for pages: use `Translator.create()`. */
  constructor(key, route, sourceLanguage, targetLanguage) {
    if (key !== constructing) throw new TypeError('Illegal constructor');
    this.#route = route;
    this.#sourceLanguage = sourceLanguage;
    this.#targetLanguage = targetLanguage;
    forgotten.register(this, route, this);
  }

  /**
   * @param {TranslatorLanguages} options
   * @returns {Promise<'unavailable' | 'downloadable' | 'downloading' | 'available'>}
   * @example
   * if (await Translator.availability({ sourceLanguage: 'en', targetLanguage: 'de-AT' }) === 'available') startAtOnce();
   */
  static async availability(options) {
    const { source, target } = languages(options);
    if (!secure()) return 'unavailable';
    return routeAvailability(await catalogue.route(source, target, options.models));
  }

  /**
   * @param {TranslatorLanguages & TranslatorEvents} options
   * @returns {Promise<Translator>}
   * @example
   * const translator = await Translator.create({
   *   sourceLanguage: 'en',
   *   targetLanguage: 'de',
   *   monitor: (m) => m.addEventListener('downloadprogress', (e) => (bar.value = e.loaded)),
   *   signal: AbortSignal.timeout(60_000),
   * });
   */
  static async create(options) {
    const { source, target } = languages(options);
    const { signal, monitor: callback, models } = options;
    signal?.throwIfAborted();
    const monitor = new CreateMonitor();
    // What the callback throws rejects the creation, before anything is fetched.
    callback?.(monitor);
    const progress = new DownloadProgress(monitor);
    let route;
    try {
      if (!secure()) throw exception('NotSupportedError', 'Translation needs a secure context: HTTPS, or localhost.');
      const path = await untilAborted(catalogue.route(source, target, models), signal);
      if (path.length === 0) {
        throw exception('NotSupportedError', `There is no model to translate from ${source} to ${target}.`);
      }
      route = new Route(path);
      progress.report(0);
      await untilAborted(route.load((fraction) => progress.report(fraction)), signal);
      progress.report(1);
      // A listener of the last event may still abort the creation.
      await untilAborted(nextTask(), signal);
    } catch (error) {
      route?.release();
      throw error;
    } finally {
      progress.close();
    }
    const translator = new Translator(constructing, route, source, target);
    translator.#destroyWith(signal);
    return translator;
  }

  /** @returns {string} the language that was asked for, canonical */
  get sourceLanguage() {
    return this.#sourceLanguage;
  }

  /** @returns {string} the language that was asked for, canonical */
  get targetLanguage() {
    return this.#targetLanguage;
  }

  /** @returns {number} the most that `measureInputUsage` may give for a text that is to be translated */
  get inputQuota() {
    return INPUT_QUOTA;
  }

  /**
   * @param {string} input
   * @param {TranslateOptions} [options]
   * @returns {Promise<string>}
   * @example
   * const german = await translator.translate('How are you?', { signal });
   */
  async translate(input, options = {}) {
    const text = stringArgument(arguments);
    const signal = this.#signal(options);
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      let result = '';
      this.#start(text, options, signal, {
        streaming: false,
        onText: (piece) => (result += piece),
        onDone: () => resolve(result),
        onError: reject,
      });
    });
  }

  /**
   * @param {string} input
   * @param {TranslateOptions} [options]
   * @returns {ReadableStream<string>} pieces that, joined, are what `translate` gives
   * @example
   * for await (const piece of translator.translateStreaming(article)) output.append(piece);
   */
  translateStreaming(input, options = {}) {
    const text = stringArgument(arguments);
    const signal = this.#signal(options);
    signal.throwIfAborted();
    let stop;
    return new ReadableStream({
      start: (controller) => {
        stop = this.#start(text, options, signal, {
          streaming: true,
          onText: (piece) => controller.enqueue(piece),
          onDone: () => controller.close(),
          onError: (error) => controller.error(error),
        });
      },
      cancel: () => stop(),
    });
  }

  /**
   * @param {string} input
   * @param {TranslateOptions} [options]
   * @returns {Promise<number>} in UTF-16 code units
   * @example
   * const fits = (await translator.measureInputUsage(text)) <= translator.inputQuota;
   */
  async measureInputUsage(input, options = {}) {
    const text = stringArgument(arguments);
    const signal = this.#signal(options);
    await untilAborted(nextTask(), signal);
    return text.length;
  }

  /**
   * Ends every call that is under way, and frees the model's memory when no other translator uses it.
   * @example
   * translator.destroy();
   */
  destroy() {
    this.#destroy(exception('AbortError', 'The translator was destroyed.'));
  }

  get [Symbol.toStringTag]() {
    return 'Translator';
  }

  #destroy(reason) {
    if (this.#destruction.signal.aborted) return;
    this.#destruction.abort(reason);
    forgotten.unregister(this);
    this.#route.release();
  }

  /** The signal given to `create()` destroys the translator later on, without keeping it alive until then. */
  #destroyWith(signal) {
    const self = new WeakRef(this);
    signal?.addEventListener('abort', () => self.deref()?.#destroy(signal.reason), { once: true });
  }

  #signal({ signal } = {}) {
    return AbortSignal.any(signal ? [this.#destruction.signal, signal] : [this.#destruction.signal]);
  }

  /** Sends one text on its way and ties the call's end, whichever comes first, to the signal. */
  #start(text, options, signal, { streaming, onText, onDone, onError }) {
    const unsupported = unsupportedOption(options);
    if (unsupported) return onError(unsupported);
    if (text.length > INPUT_QUOTA) {
      const message = `The text has ${text.length} code units; ${INPUT_QUOTA} are the most that one call takes.`;
      return onError(quotaExceeded(message, { requested: text.length, quota: INPUT_QUOTA }));
    }
    let stopWork = () => {};
    let open = true;
    const finish = () => {
      open = false;
      signal.removeEventListener('abort', onAbort);
      if (--this.#pending === 0) busy.delete(this);
    };
    const stop = () => {
      stopWork();
      finish();
    };
    const onAbort = () => {
      stop();
      onError(signal.reason);
    };
    this.#pending++;
    busy.add(this);
    signal.addEventListener('abort', onAbort);
    if (!TRANSLATABLE.test(text)) {
      // Also a task later, so that an abort right after the call is heard here as everywhere.
      nextTask().then(() => {
        if (!open) return;
        finish();
        if (text) onText(text);
        onDone();
      });
      return stop;
    }
    stopWork = this.#route.translate({
      text,
      streaming,
      onText: (piece, statistics) => {
        options.onStatistics?.(statistics);
        onText(piece);
      },
      onDone: () => {
        finish();
        onDone();
      },
      onError: (error) => {
        finish();
        onError(error);
      },
    });
    return stop;
  }
}

function languages(options) {
  for (const name of ['sourceLanguage', 'targetLanguage']) {
    if (options?.[name] === undefined) throw new TypeError(`The option ${name} is missing.`);
  }
  return { source: canonicalTag(options.sourceLanguage), target: canonicalTag(options.targetLanguage) };
}

function stringArgument(passed) {
  if (passed.length === 0) throw new TypeError('One argument, the text, is required.');
  return `${passed[0]}`;
}

function unsupportedOption({ format = 'text', alternatives = 0, alignment = false }) {
  const asked = { alternatives: alternatives > 0, alignment: Boolean(alignment), format: format !== 'text' };
  const name = Object.keys(asked).find((key) => asked[key]);
  return name && exception('NotSupportedError', `The option ${name} is not supported yet.`);
}

/** As for the standard's own interface: hashes, storage and locks are there in secure contexts only. */
function secure() {
  return globalThis.isSecureContext !== false;
}
