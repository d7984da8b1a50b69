import { Dragoman, Translator } from '../dragoman.js';
import { Announcer } from './announcer.js';
import { Confidence } from './confidence.js';
import { CopyButton } from './copy-button.js';
import { DownloadLine } from './download-line.js';
import { Draft } from './draft.js';
import { FilePanel } from './file-panel.js';
import { History } from './history.js';
import { LanguageHint } from './language-hint.js';
import { LanguageMenus } from './language-menus.js';
import { chooseLanguage, counted, message } from './messages.js';
import { NextWords } from './next-words.js';
import { keepForOffline } from './offline.js';
import { OtherTranslations } from './other-translations.js';
import { Panels } from './panels.js';
import { ShareButton, takeLinked } from './share.js';
import { ReadAloud } from './speech.js';
import { TargetText } from './target-text.js';
import { Translators } from './translators.js';
import { WordLinks } from './word-links.js';

/**
 * The page: text in, translation out. It uses nothing of Dragoman but what any other site can use; only offline.js asks which
 * build of the engine will run, so as to keep no other.
 *
 * @typedef {import('./draft.js').State} State
 * @typedef {import('./translators.js').Pair} Pair
 */

// Long enough to let a fast typist finish a word, short enough to feel immediate.
const PAUSE_MS = 120;
const ALTERNATIVES = 3;

await chooseLanguage();

const element = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
/** @type {HTMLTextAreaElement} */
const source = element('source');
const target = new TargetText(element('target'));
const announcer = new Announcer(element('announcer'));
const others = new OtherTranslations(element('others'), target, () => {
  forget();
  announce();
});
const links = new WordLinks(source, target, (text) => announcer.now(text));
/** What is shown, when it is complete. @type {import('./panels.js').Result | undefined} */
let shown;
const draft = new Draft();
const menus = new LanguageMenus(element('from'), element('to'), onLanguages);
const hint = new LanguageHint(element('hint'), menus, chooseSource);
const download = new DownloadLine(
  { box: element('download'), label: element('download-label'), bar: element('download-bar') },
  (tag) => menus.name(tag),
);
const translators = new Translators(onDownload);
const history = new History();
const copy = new CopyButton(element('copy'), target);
const share = new ShareButton(element('share'), state);
const readSource = new ReadAloud(
  element('read-source'),
  () => source.value,
  () => menus.from,
);
const readTarget = new ReadAloud(
  element('read-target'),
  () => target.value,
  () => menus.to,
);
const confidence = new Confidence(element('confidence'), target, element('doubts'), translate);
const nextWords = new NextWords(element('next-words'), (pair) => translators.get(pair), showSentence, showFailure);
links.onChosen = (word) => {
  const place = links.rangeOf(word)?.getBoundingClientRect();
  if (shown && place) nextWords.offer(shown, word, place);
};
const panels = new Panels(element('extras'), {
  history,
  bring,
  nameOf: (tag) => menus.name(tag),
  translator: (pair) => translators.get(pair),
});

/** The translation under way. @type {AbortController | undefined} */
let run;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let pauseTimer;
/** Whether the page itself is kept for use without a network. @type {Promise<boolean>} */
let pageKept;

async function start() {
  const kept = draft.restore();
  const linked = takeLinked();
  const saved = { ...kept, ...linked };
  // What a link brings takes the place of what was kept, but does not lose it.
  if (linked.text !== undefined && kept.text && kept.text !== linked.text) {
    draft.remember({ text: kept.text, from: kept.from ?? 'en', to: kept.to ?? 'de' });
  }
  // What was typed while the page was still loading wins over both.
  source.value ||= saved.text ?? '';
  describeSource();
  addEventListener('hashchange', followLink);
  source.addEventListener('input', onTyping);
  source.addEventListener('keydown', ({ key }) => key === 'Escape' && stop());
  element('swap').addEventListener('click', swap);
  element('clear').addEventListener('click', clear);
  element('undo').addEventListener('click', undo);
  element('stop').addEventListener('click', stop);
  element('retry').addEventListener('click', () => (menus.ready ? translate() : loadLanguages(saved)));
  // The timer of a hidden page may never run again.
  addEventListener('pagehide', () => {
    keep();
    history.settle();
  });
  new FilePanel({
    section: element('file'),
    chooser: element('choose-file'),
    languages: () => (menus.ready ? state() : undefined),
  });
  pageKept = keepForOffline({ update: element('update'), reload: element('reload') });
  await loadLanguages(saved);
}

/** @param {Partial<State>} saved */
async function loadLanguages(saved) {
  element('failure').hidden = true;
  let directions;
  try {
    directions = await Dragoman.models.list();
  } catch (error) {
    return showFailure(error);
  }
  download.knowSizes(directions);
  menus.offer(directions, { sourceLanguage: saved.from ?? 'en', targetLanguage: saved.to ?? 'de' });
  showLanguages();
  // With nothing to translate yet the model is fetched ahead, unless the visitor counts bytes.
  if (source.value || !(/** @type {any} */ (navigator).connection?.saveData)) translate();
}

/** A link to this page, opened in it. */
function followLink() {
  const linked = takeLinked();
  if (Object.keys(linked).length > 0 && menus.ready) bring({ ...state(), ...linked });
}

/** @param {State} wanted */
function bring({ text, from, to }) {
  draft.remember(state());
  change({ text, from, to });
  source.focus();
}

function onLanguages() {
  showLanguages();
  keep();
  translate();
}

/**
 * The language that was written in takes the place of the one that was chosen; if that was the target, they change places.
 * @param {string} language
 */
function chooseSource(language) {
  const { text, from, to } = state();
  draft.remember({ text, from, to });
  change({ text, from: language, to: language === to ? from : to });
}

function showLanguages() {
  share.update();
  readSource.update();
  source.lang = menus.from;
  element('target').lang = menus.to;
  element('swap').disabled = !menus.canSwap;
}

function onTyping() {
  forget();
  draft.forget();
  describeSource();
  hint.hide();
  run?.abort();
  announcer.cancel();
  clearTimeout(pauseTimer);
  pauseTimer = setTimeout(() => {
    keep();
    translate();
  }, PAUSE_MS);
}

async function translate() {
  clearTimeout(pauseTimer);
  announcer.cancel();
  run?.abort();
  if (!menus.ready) return;
  run = new AbortController();
  const { signal } = run;
  hint.hide();
  const text = source.value;
  const pair = { from: menus.from, to: menus.to };
  element('failure').hidden = true;
  element('stop').hidden = true;
  target.expectNew();
  others.expectNew();
  forget();
  if (!text.trim()) finish('');
  try {
    const translator = await obtain(pair, signal);
    download.hide();
    pageKept.then((kept) => (element('offline').hidden = !kept));
    if (!text.trim()) {
      panels.show({ text, translation: '', pair, alignment: undefined });
      return note('');
    }
    element('stop').hidden = false;
    note(message('translating'));
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
        note(`${speed(tokens, begun)} …`);
      },
      alternatives: ALTERNATIVES,
      onAlternatives: (alternatives) => (found = alternatives),
      alignment: WordLinks.suits(text),
      onAlignment: (news) => (alignment = news),
      scores: confidence.isOn,
      onScores: (news) => (scores = news),
    });
    for await (const piece of stream) target.append(piece);
    finish(speed(tokens, begun), found);
    show({ text, translation: target.value, pair, alignment });
    confidence.scores = scores;
    announce();
    await hint.consider(text, signal);
  } catch (error) {
    // Aborted by typing on, by another language, or by Stop: whoever did it says what comes next.
    if (!signal.aborted) showFailure(error);
  }
}

/** @param {import('./panels.js').Result} result that is complete */
function show(result) {
  shown = result;
  links.words = result.alignment?.words;
  panels.show(result);
  history.note({ text: result.text, translation: result.translation, ...result.pair, time: Date.now() });
}

/** @param {import('./panels.js').Result} result in which the visitor has chosen a word */
function showSentence(result) {
  confidence.scores = undefined;
  target.clear();
  target.append(result.translation);
  show(result);
  target.element.focus();
  announce();
}

/** What is known of the words that are shown does not hold for those to come. */
function forget() {
  shown = undefined;
  links.words = undefined;
  confidence.scores = undefined;
  nextWords.close();
}

/**
 * @param {Pair} pair
 * @param {AbortSignal} signal
 */
async function obtain(pair, signal) {
  const availability = await Translator.availability({ sourceLanguage: pair.from, targetLanguage: pair.to });
  signal.throwIfAborted();
  if (availability === 'available') note(message('loading'));
  else showDownload(pair, translators.progress(pair));
  const translator = await translators.get(pair);
  signal.throwIfAborted();
  return translator;
}

/**
 * @param {Pair} pair
 * @param {number} loaded
 */
function onDownload(pair, loaded) {
  // Of a stored model, or of a direction that is not the chosen one any more, there is nothing to show.
  if (download.isShown && pair.from === menus.from && pair.to === menus.to) showDownload(pair, loaded);
}

/**
 * @param {Pair} pair
 * @param {number} loaded
 */
function showDownload(pair, loaded) {
  download.show(pair, loaded);
  note('');
}

/**
 * @param {number} tokens
 * @param {number} begun
 */
function speed(tokens, begun) {
  const seconds = Math.max(0.001, (performance.now() - begun) / 1000);
  return message('speed', { tokens: counted('token', tokens), n: Math.round(tokens / seconds) });
}

/**
 * @param {string} text
 * @param {string[]} [alternatives]
 */
function finish(text, alternatives = []) {
  target.finish();
  others.show(alternatives, menus.to);
  element('stop').hidden = true;
  copy.update();
  readTarget.update();
  note(text);
}

function stop() {
  if (element('stop').hidden) return;
  run?.abort();
  finish(message('stopped'));
}

/** @param {string} text */
function note(text) {
  element('target-note').textContent = text;
}

function describeSource() {
  const { length } = source.value;
  element('source-note').textContent = counted('character', length);
  element('clear').hidden = length === 0;
  element('undo').hidden = !draft.canUndo;
  share.update();
  readSource.update();
}

function announce() {
  announcer.later(() => target.value, menus.to);
}

/** @param {any} error */
function showFailure(error) {
  console.error(error);
  download.hide();
  element('stop').hidden = true;
  copy.update();
  note('');
  others.show([], menus.to);
  // What the API says is English.
  const cause = document.createElement('span');
  cause.lang = 'en';
  cause.textContent = error.message;
  element('failure-text').replaceChildren(message('failed'), cause);
  element('failure').hidden = false;
}

function state() {
  return { text: source.value, from: menus.from, to: menus.to };
}

function keep() {
  // Without the menus' languages (the list of models has not come) those kept before stay.
  draft.keep(menus.ready ? state() : { ...draft.restore(), text: source.value });
}

function swap() {
  const before = state();
  const complete = element('stop').hidden && !target.stale;
  draft.remember(before);
  // A translation that is not finished yet would lose the rest of the text: then only the languages change places.
  if (complete && target.value) source.value = target.value;
  change({ ...before, text: source.value, from: before.to, to: before.from });
}

function clear() {
  draft.remember(state());
  change({ ...state(), text: '' });
  source.focus();
}

function undo() {
  change(draft.undo() ?? state());
  source.focus();
}

/** @param {State} state */
function change({ text, from, to }) {
  source.value = text;
  menus.choose({ sourceLanguage: from, targetLanguage: to });
  showLanguages();
  describeSource();
  keep();
  translate();
}

await start();
