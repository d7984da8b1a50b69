import { canonicalTag } from '../base/language-tag.js';
import { masks } from '../engine/inspection.js';
import { routeAvailability } from '../models/availability.js';
import {
  constructing,
  creation,
  DestroyableModel,
  requireActiveDocument,
  requireQuota,
  stringArgument,
} from './destroyable-model.js';
import { catalogue } from './models.js';
import { openRoute } from './open-route.js';
import { engineOptions, inspectOptions, nextWordsOptions, scoreOptions } from './translate-options.js';
import { startCall } from './translator-call.js';

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
   * @param {import('../engine/route.js').Route} route
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
      (report, signal) => openRoute(source, target, options.models, report, signal),
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
    requireTwo(arguments);
    const { nextWords = [] } = await this.#find(input, options, () => nextWordsOptions(prefix, options?.count ?? 5));
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
    requireTwo(arguments);
    const { scores } = await this.#find(input, options, () => scoreOptions(translation));
    return /** @type {Scores} */ (scores);
  }

  /**
   * Extension: all that the model computes on sentences: hidden states and attention of every layer, log-probabilities, masks. As
   * they are, whole, through one model; not for two that translate by way of English.
   * @param {string | Iterable<string | readonly [sentence: string, translation: string]>} sentences one, or as many; where there is no
   *   translation, the model's own is taken, greedily
   * @param {{signal?: AbortSignal}} [options]
   * @returns {Promise<import('../engine/inspection.js').Inspection>}
   * @example
   * const { sentences: [{ target }] } = await translator.inspect([['Where is it?', 'Wo ist es?']]);
   * const [states, pieces, width] = target.hidden.shape;
   */
  async inspect(sentences, options = {}) {
    /** @type {import('../engine/inspection.js').InspectedSentence[]} */
    const found = [];
    // A string is iterable, too, letter by letter.
    for (const one of typeof sentences === 'string' ? [sentences] : sentences) {
      const [text, translation] = typeof one === 'string' ? [one] : one;
      const { inspection } = await this.#find(text, options, () => inspectOptions(translation));
      found.push(/** @type {(typeof found)[0]} */ (inspection));
    }
    return { sentences: found, masks: masks(found) };
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
   * @param {string} text
   * @param {{signal?: AbortSignal} | null} given
   * @param {() => EngineOptions} forEngine
   * @returns {Promise<Result>}
   */
  async #find(text, given, forEngine) {
    const signal = this._signal(given);
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      this.#start(`${text}`, {}, forEngine, signal, {
        streaming: false,
        onText: () => {},
        onDone: resolve,
        onError: reject,
      });
    });
  }

  /**
   * Sends one text on its way, unless what is asked for cannot be.
   * @param {string} text
   * @param {TranslateOptions} given
   * @param {() => EngineOptions} forEngine makes its options of them
   * @param {import('../base/abort.js').EitherSignal} signal
   * @param {Omit<import('./translator-call.js').Listener, 'onEnd'>} listener
   * @returns {() => void} stops the work
   */
  #start(text, given, forEngine, signal, listener) {
    /** @type {EngineOptions} */
    let options;
    try {
      options = forEngine();
      const forOneModel = options.glossary ? 'The option glossary' : options.inspect ? 'inspect()' : undefined;
      if (forOneModel && !this.#route.isDirect) {
        throw new TypeError(`${forOneModel} is for one model; this translator goes by way of another language.`);
      }
      requireQuota(text);
    } catch (error) {
      listener.onError(error);
      return () => {};
    }
    this.#pending++;
    busy.add(this);
    return startCall(this.#route, text, given, options, signal, {
      ...listener,
      onEnd: () => {
        if (--this.#pending === 0) busy.delete(this);
      },
    });
  }
}

/** @param {IArguments} passed */
function requireTwo({ length }) {
  if (length < 2) throw new TypeError('Two arguments, both texts, are required.');
}

/** @param {TranslatorLanguages} options */
function languages(options) {
  for (const name of /** @type {const} */ (['sourceLanguage', 'targetLanguage'])) {
    if (options?.[name] === undefined) throw new TypeError(`The option ${name} is missing.`);
  }
  return { source: canonicalTag(options.sourceLanguage), target: canonicalTag(options.targetLanguage) };
}
