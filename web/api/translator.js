import { nextTask, untilAborted } from '../base/abort.js';
import { exception } from '../base/errors.js';
import { canonicalTag } from '../base/language-tag.js';
import { Route } from '../engine/route.js';
import { routeAvailability } from '../models/availability.js';
import {
  constructing,
  creation,
  DestroyableModel,
  requireActiveDocument,
  requireQuota,
  stringArgument,
} from './destroyable-model.js';
import { translateHtml } from './html-translation.js';
import { catalogue } from './models.js';
import { engineOptions, nextWordsOptions, scoreOptions } from './translate-options.js';

/**
 * @typedef {object} TranslatorLanguages
 * @property {string} sourceLanguage BCP 47 tag
 * @property {string} targetLanguage BCP 47 tag
 * @property {string | URL | import('../models/manifest.js').ManifestSource} [models] extension: take models from here only
 *
 * @typedef {import('./translate-options.js').TranslateOptions} TranslateOptions
 * @typedef {import('../engine/core.js').NextWord} NextWord the text behind a beginning, up to the end of the word (empty: nothing,
 *   the translation may end there), and how probable it is there, 0 to 1
 * @typedef {import('../engine/scores.js').Scores} Scores
 * @typedef {import('../engine/engine.js').Result} Result
 * @typedef {import('./translate-options.js').EngineOptions} EngineOptions
 */

// A letter, a digit or a mark: without any, there is nothing to translate, and the text comes back as it is.
const TRANSLATABLE = /[\p{L}\p{N}\p{M}]/u;

// A translator that nobody holds any more but that still works on a call must not be collected: its engine would end.
const busy = new Set();
// The engine of a translator that was forgotten without destroy() is given back when the collector finds it.
const forgotten = new FinalizationRegistry((route) => route.release());

export class Translator extends DestroyableModel {
  static {
    // A minifier renames the class, but not what pages see.
    Object.defineProperty(Translator, 'name', { value: 'Translator' });
  }

  #route;
  #sourceLanguage;
  #targetLanguage;
  #pending = 0;

  /**
   * Not for pages: use `Translator.create()`.
   * @param {symbol} key
   * @param {Route} route
   * @param {string} sourceLanguage
   * @param {string} targetLanguage
   */
  constructor(key, route, sourceLanguage, targetLanguage) {
    super(key);
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
    requireActiveDocument();
    if (globalThis.isSecureContext === false) return 'unavailable';
    return routeAvailability(await catalogue.route(source, target, options.models));
  }

  /**
   * @param {TranslatorLanguages & import('./destroyable-model.js').CreateEvents} options
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
    requireActiveDocument();
    const route = await creation(
      options,
      (report, signal) => open(source, target, options.models, report, signal),
      (unwanted) => unwanted.release(),
    );
    const translator = new Translator(constructing, route, source, target);
    translator._destroyWith(options.signal);
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

  /**
   * @param {string} input
   * @param {TranslateOptions} [options]
   * @returns {Promise<string>}
   * @example
   * const german = await translator.translate('How are you?', { signal });
   */
  async translate(input, options = {}) {
    const text = stringArgument(arguments);
    const signal = this._signal(options);
    signal.throwIfAborted();
    const given = options ?? {};
    return new Promise((resolve, reject) => {
      let result = '';
      this.#start(text, given, () => engineOptions(given), signal, {
        streaming: false,
        onText: (piece) => (result += piece),
        onDone: () => resolve(result),
        onError: reject,
      });
    });
  }

  /**
   * Extension: what else may come at a place in the translation of a sentence.
   * @param {string} input one sentence
   * @param {string} prefix the translation so far, up to that place; with one of the words behind it, the option `prefix` of
   *   translate() has the rest translated anew
   * @param {{count?: number, signal?: AbortSignal}} [options] count: how many words at most, 1 to 16; 5 unless told
   * @returns {Promise<NextWord[]>} likeliest first
   * @example
   * const [first, second] = await translator.nextWords('Where is the station?', 'Wo ');
   * const other = await translator.translate('Where is the station?', { prefix: 'Wo ' + second.text });
   */
  async nextWords(input, prefix, options = {}) {
    const { nextWords = [] } = await this.#find(arguments, options, () => nextWordsOptions(prefix, options?.count ?? 5));
    return nextWords;
  }

  /**
   * Extension: how sure the model would be of a translation that is given.
   * @param {string} input one sentence
   * @param {string} translation of it
   * @param {{signal?: AbortSignal}} [options]
   * @returns {Promise<Scores>}
   * @example
   * const { sentences: [[, , logProbability]] } = await translator.score('Where is the station?', 'Wo ist der Bahnhof?');
   */
  async score(input, translation, options = {}) {
    const { scores } = await this.#find(arguments, options, () => scoreOptions(translation));
    return /** @type {Scores} */ (scores);
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
    const signal = this._signal(options);
    signal.throwIfAborted();
    /** @type {() => void} */
    let stop;
    const given = options ?? {};
    return new ReadableStream({
      start: (controller) => {
        stop = this.#start(text, given, () => engineOptions(given), signal, {
          streaming: true,
          onText: (piece) => controller.enqueue(piece),
          onDone: () => controller.close(),
          onError: (error) => controller.error(error),
        });
      },
      cancel: () => stop(),
    });
  }

  get [Symbol.toStringTag]() {
    return 'Translator';
  }

  /** @protected */
  _release() {
    forgotten.unregister(this);
    this.#route.release();
  }

  /**
   * What the engine finds beside a text, for who does not want the text.
   * @param {IArguments} passed
   * @param {{signal?: AbortSignal} | null} given
   * @param {() => EngineOptions} forEngine
   * @returns {Promise<Result>}
   */
  async #find(passed, given, forEngine) {
    if (passed.length < 2) throw new TypeError('Two arguments, both texts, are required.');
    const signal = this._signal(given);
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      this.#start(`${passed[0]}`, {}, forEngine, signal, {
        streaming: false,
        onText: () => {},
        onDone: resolve,
        onError: reject,
      });
    });
  }

  /**
   * Sends one text on its way and ties the call's end, whichever comes first, to the signal.
   * @param {string} text
   * @param {TranslateOptions} given
   * @param {() => EngineOptions} forEngine makes its options of them
   * @param {AbortSignal} signal
   * @param {{streaming: boolean, onText: (text: string) => void, onDone: (result: Result) => void, onError: (error: any) => void}} listener
   * @returns {() => void} stops the work
   */
  #start(text, given, forEngine, signal, { streaming, onText, onDone, onError }) {
    /** @type {EngineOptions} */
    let options;
    try {
      options = forEngine();
      if (options.glossary && !this.#route.isDirect) {
        throw new TypeError('The option glossary is for one model; this translator goes by way of another language.');
      }
      requireQuota(text);
    } catch (error) {
      onError(error);
      return () => {};
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
    /** @param {Result} result */
    const done = (result) => {
      if (!open) return;
      finish();
      const { alternatives, alignment, attention, scores } = result;
      tell(given.onAlternatives, alternatives.slice(0, given.alternatives ?? 0));
      if (alignment) tell(given.onAlignment, alignment);
      if (attention) tell(given.onAttention, attention);
      if (scores) tell(given.onScores, scores);
      onDone(result);
    };
    this.#pending++;
    busy.add(this);
    signal.addEventListener('abort', onAbort);
    const { alignment, scores, prefix } = options;
    if (!TRANSLATABLE.test(text) && !alignment && !scores && prefix === undefined) {
      // Also a task later, so that an abort right after the call is heard here as everywhere.
      nextTask().then(() => {
        if (open && text) onText(text);
        done({ alternatives: [] });
      });
      return stop;
    }
    /** @type {import('../engine/engine.js').Call} */
    const call = {
      text,
      streaming,
      options,
      onText: (piece, statistics) => {
        tell(given.onStatistics, statistics);
        // The callback may have aborted the call.
        if (open) onText(piece);
      },
      onDone: done,
      onError: (error) => {
        finish();
        onError(error);
      },
    };
    stopWork = given.format === 'html' ? translateHtml(this.#route, call) : this.#route.translate(call);
    return stop;
  }
}

/** @param {TranslatorLanguages} options */
function languages(options) {
  for (const name of /** @type {const} */ (['sourceLanguage', 'targetLanguage'])) {
    if (options?.[name] === undefined) throw new TypeError(`The option ${name} is missing.`);
  }
  return { source: canonicalTag(options.sourceLanguage), target: canonicalTag(options.targetLanguage) };
}

/**
 * The engines from one language to the other, loaded.
 * @param {string} source
 * @param {string} target
 * @param {TranslatorLanguages['models']} models
 * @param {(fraction: number) => void} report
 * @param {AbortSignal | undefined} signal
 */
async function open(source, target, models, report, signal) {
  const find = () => untilAborted(catalogue.route(source, target, models), signal);
  const path = await find();
  if (path.length === 0) {
    throw exception('NotSupportedError', `There is no model to translate from ${source} to ${target}.`);
  }
  report(0);
  try {
    return await load(path, report, signal);
  } catch (error) {
    if (/** @type {DOMException} */ (error).name !== 'NetworkError') throw error;
    // The server may have got other models since its list was read.
    catalogue.forget(models);
    const now = await find().catch(() => path);
    signal?.throwIfAborted();
    if (now.length === 0 || identity(now) === identity(path)) throw error;
    return load(now, report, signal);
  }
}

/** @param {import('../models/manifest.js').Model[]} path */
function identity(path) {
  return path.map(({ id, files }) => [id, ...files.map(({ url }) => url)].join(' ')).join(' ');
}

/**
 * @param {import('../models/manifest.js').Model[]} path
 * @param {(fraction: number) => void} report
 * @param {AbortSignal | undefined} signal
 */
async function load(path, report, signal) {
  const route = new Route(path);
  try {
    await untilAborted(route.load(report), signal);
    return route;
  } catch (error) {
    route.release();
    throw error;
  }
}

/**
 * A fault in the page's callback is the page's: reported there, and no reason to lose the translation.
 * @template T
 * @param {((news: T) => void) | undefined} callback
 * @param {T} news
 */
function tell(callback, news) {
  try {
    callback?.(news);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
