import { Translator } from '../dragoman.js';
import { Announcer } from './announcer.js';
import { Confidence } from './confidence.js';
import { CopyButton } from './copy-button.js';
import { DownloadLine } from './download-line.js';
import { counted, message } from './messages.js';
import { NextWords } from './next-words.js';
import { OtherTranslations } from './other-translations.js';
import { ReadAloud } from './speech.js';
import { TargetText } from './target-text.js';
import { Translators } from './translators.js';
import { WordLinks } from './word-links.js';

/**
 * The side of the translation: the one under way, its end or failure, and what can be done with what is shown.
 *
 * @typedef {import('./panels.js').Result} Result
 * @typedef {import('./translators.js').Pair} Pair
 */

const ALTERNATIVES = 3;

const element = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));

export class TranslationPane {
  #text = new TargetText(element('target'));
  #announcer = new Announcer(element('announcer'));
  #others = new OtherTranslations(element('others'), this.#text, () => {
    this.#forget();
    this.#announce();
  });
  #copy = new CopyButton(element('copy'), this.#text);
  #readAloud = new ReadAloud(
    element('read-target'),
    () => this.#text.value,
    () => this.#language,
  );
  #translators = new Translators((pair, loaded) => this.#onDownload(pair, loaded));
  #nextWords = new NextWords(
    element('next-words'),
    (pair) => this.translator(pair),
    (result) => this.#showSentence(result),
    (error) => this.fail(error),
  );
  #links;
  #download;
  #confidence;
  #onReady;
  #onShown;
  #language = '';
  /** What is shown, when it is complete. @type {Result | undefined} */
  #shown;
  /** What was asked for last. @type {Pair | undefined} */
  #pair;
  /** The translation under way. @type {AbortController | undefined} */
  #run;

  /**
   * @param {object} page
   * @param {HTMLTextAreaElement} page.source
   * @param {(language: string) => string} page.nameOf
   * @param {() => void} page.translateAgain
   * @param {() => void} page.onReady a model is there
   * @param {(result: Result) => void} page.onShown
   */
  constructor({ source, nameOf, translateAgain, onReady, onShown }) {
    this.#links = new WordLinks(source, this.#text, (text) => this.#announcer.now(text));
    this.#links.onChosen = (word) => {
      const place = this.#links.rangeOf(word)?.getBoundingClientRect();
      if (this.#shown && place) this.#nextWords.offer(this.#shown, word, place);
    };
    const parts = { box: element('download'), label: element('download-label'), bar: element('download-bar') };
    this.#download = new DownloadLine(parts, nameOf);
    this.#confidence = new Confidence(element('confidence'), this.#text, element('doubts'), translateAgain);
    this.#onReady = onReady;
    this.#onShown = onShown;
    element('stop').addEventListener('click', () => this.stop());
  }

  /** @param {string} language of the translation */
  set language(language) {
    this.#language = language;
    this.#text.element.lang = language;
  }

  /** What is shown, if it is a whole translation of the text; else nothing. */
  get complete() {
    return element('stop').hidden && !this.#text.stale ? this.#text.value : '';
  }

  /** @param {{sourceLanguage: string, targetLanguage: string, bytes: number}[]} directions that there are */
  knowSizes(directions) {
    this.#download.knowSizes(directions);
  }

  /** @param {Pair} pair */
  translator(pair) {
    return this.#translators.get(pair);
  }

  /** The text changes: what is known of what is shown does not hold any more. */
  interrupt() {
    this.#run?.abort();
    this.#announcer.cancel();
    this.#forget();
  }

  /**
   * @param {string} text
   * @param {Pair} pair
   * @returns {Promise<boolean>} whether it came to its end
   */
  async translate(text, pair) {
    this.interrupt();
    this.#pair = pair;
    this.#run = new AbortController();
    const { signal } = this.#run;
    element('failure').hidden = true;
    element('stop').hidden = true;
    this.#text.expectNew();
    this.#others.expectNew();
    if (!text.trim()) this.#finish('');
    try {
      const translator = await this.#obtain(pair, signal);
      this.#download.hide();
      this.#onReady();
      if (text.trim()) await this.#stream(translator, text, pair, signal);
      else {
        this.#note('');
        this.#onShown({ text, translation: '', pair, alignment: undefined });
      }
      return true;
    } catch (error) {
      // Aborted by typing on, by another language, or by Stop: whoever did it says what comes next.
      if (!signal.aborted) this.fail(error);
      return false;
    }
  }

  stop() {
    if (element('stop').hidden) return;
    this.#run?.abort();
    this.#finish(message('stopped'));
  }

  /** @param {any} error */
  fail(error) {
    console.error(error);
    this.#download.hide();
    element('stop').hidden = true;
    this.#copy.update();
    this.#note('');
    this.#others.show([], this.#language);
    // What the API says is English.
    const cause = document.createElement('span');
    cause.lang = 'en';
    cause.textContent = error.message;
    element('failure-text').replaceChildren(message('failed'), cause);
    element('failure').hidden = false;
  }

  /**
   * @param {Translator} translator
   * @param {string} text
   * @param {Pair} pair
   * @param {AbortSignal} signal
   */
  async #stream(translator, text, pair, signal) {
    element('stop').hidden = false;
    this.#note(message('translating'));
    const begun = performance.now();
    let tokens = 0;
    /** @type {string[]} */
    let found = [];
    /** @type {import('../engine/alignment.js').Alignment | undefined} */
    let alignment;
    /** @type {import('../engine/scores.js').Scores | undefined} */
    let scores;
    const stream = translator.translateStreaming(text, {
      signal,
      onStatistics: (statistics) => {
        tokens = statistics.tokens;
        this.#note(`${speed(tokens, begun)} …`);
      },
      alternatives: ALTERNATIVES,
      onAlternatives: (alternatives) => (found = alternatives),
      alignment: WordLinks.suits(text),
      onAlignment: (news) => (alignment = news),
      scores: this.#confidence.isOn,
      onScores: (news) => (scores = news),
    });
    for await (const piece of stream) this.#text.append(piece);
    this.#finish(speed(tokens, begun), found);
    this.#show({ text, translation: this.#text.value, pair, alignment });
    this.#confidence.scores = scores;
    this.#announce();
  }

  /** @param {Result} result that is complete */
  #show(result) {
    this.#shown = result;
    this.#links.words = result.alignment?.words;
    this.#onShown(result);
  }

  /** @param {Result} result in which the visitor has chosen a word */
  #showSentence(result) {
    this.#confidence.scores = undefined;
    this.#text.clear();
    this.#text.append(result.translation);
    this.#show(result);
    this.#text.element.focus();
    this.#announce();
  }

  #forget() {
    this.#shown = undefined;
    this.#links.words = undefined;
    this.#confidence.scores = undefined;
    this.#nextWords.close();
  }

  /**
   * @param {Pair} pair
   * @param {AbortSignal} signal
   */
  async #obtain(pair, signal) {
    const availability = await Translator.availability({ sourceLanguage: pair.from, targetLanguage: pair.to });
    signal.throwIfAborted();
    if (availability === 'available') this.#note(message('loading'));
    else this.#showDownload(pair, this.#translators.progress(pair));
    const translator = await this.translator(pair);
    signal.throwIfAborted();
    return translator;
  }

  /**
   * @param {Pair} pair
   * @param {number} loaded
   */
  #onDownload(pair, loaded) {
    // Of a stored model, or of a direction that is not the chosen one any more, there is nothing to show.
    if (this.#download.isShown && pair.from === this.#pair?.from && pair.to === this.#pair.to) this.#showDownload(pair, loaded);
  }

  /**
   * @param {Pair} pair
   * @param {number} loaded
   */
  #showDownload(pair, loaded) {
    this.#download.show(pair, loaded);
    this.#note('');
  }

  /**
   * @param {string} text
   * @param {string[]} [alternatives]
   */
  #finish(text, alternatives = []) {
    this.#text.finish();
    this.#others.show(alternatives, this.#language);
    element('stop').hidden = true;
    this.#copy.update();
    this.#readAloud.update();
    this.#note(text);
  }

  /** @param {string} text */
  #note(text) {
    element('target-note').textContent = text;
  }

  #announce() {
    this.#announcer.later(() => this.#text.value, this.#language);
  }
}

/**
 * @param {number} tokens
 * @param {number} begun
 */
function speed(tokens, begun) {
  const seconds = Math.max(0.001, (performance.now() - begun) / 1000);
  return message('speed', { tokens: counted('token', tokens), n: Math.round(tokens / seconds) });
}
