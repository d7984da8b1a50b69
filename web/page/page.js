import { Dragoman, Translator } from '../dragoman.js';
import { Draft } from './draft.js';
import { LanguageHint } from './language-hint.js';
import { LanguageMenus } from './language-menus.js';
import { keepForOffline } from './offline.js';
import { OtherTranslations } from './other-translations.js';
import { TargetText } from './target-text.js';
import { Translators } from './translators.js';

/**
 * The page: text in, translation out. It uses nothing of Dragoman but what any other site can use; only offline.js asks which
 * build of the engine will run, so as to keep no other.
 *
 * @typedef {import('./draft.js').State} State
 * @typedef {import('./translators.js').Pair} Pair
 */

// Long enough to let a fast typist finish a word, short enough to feel immediate.
const PAUSE_MS = 120;
// A screen reader hears the translation once, when the visitor has paused, and not at every word.
const ANNOUNCE_AFTER_MS = 1000;
const ANNOUNCE_AT_MOST = 400;
const ALTERNATIVES = 3;

const element = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
/** @type {HTMLTextAreaElement} */
const source = element('source');
const target = new TargetText(element('target'));
const others = new OtherTranslations(element('others'), target, announce);
const draft = new Draft();
const menus = new LanguageMenus(element('from'), element('to'), onLanguages);
const hint = new LanguageHint(element('hint'), menus, chooseSource);
const translators = new Translators(onDownload);
const number = new Intl.NumberFormat('en');

/** The translation under way. @type {AbortController | undefined} */
let run;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let pauseTimer;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let announceTimer;
/** Whether the page itself is kept for use without a network. @type {Promise<boolean>} */
let pageKept;
/** Bytes of the models, by direction, for the progress line. */
const sizes = new Map();

async function start() {
  const saved = draft.restore();
  // What was typed while the page was still loading wins over what was kept.
  source.value ||= saved.text ?? '';
  describeSource();
  source.addEventListener('input', onTyping);
  source.addEventListener('keydown', ({ key }) => key === 'Escape' && stop());
  element('swap').addEventListener('click', swap);
  element('clear').addEventListener('click', clear);
  element('undo').addEventListener('click', undo);
  element('stop').addEventListener('click', stop);
  element('copy').addEventListener('click', copy);
  element('retry').addEventListener('click', () => (menus.ready ? translate() : loadLanguages(saved)));
  // The timer of a hidden page may never run again.
  addEventListener('pagehide', keep);
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
  for (const { sourceLanguage, targetLanguage, bytes } of directions) sizes.set(`${sourceLanguage} ${targetLanguage}`, bytes);
  menus.offer(directions, { sourceLanguage: saved.from ?? 'en', targetLanguage: saved.to ?? 'de' });
  showLanguages();
  // With nothing to translate yet the model is fetched ahead, unless the visitor counts bytes.
  if (source.value || !(/** @type {any} */ (navigator).connection?.saveData)) translate();
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
  source.lang = menus.from;
  element('target').lang = menus.to;
  element('swap').disabled = !menus.canSwap;
}

function onTyping() {
  draft.forget();
  describeSource();
  hint.hide();
  run?.abort();
  clearTimeout(announceTimer);
  clearTimeout(pauseTimer);
  pauseTimer = setTimeout(() => {
    keep();
    translate();
  }, PAUSE_MS);
}

async function translate() {
  clearTimeout(pauseTimer);
  clearTimeout(announceTimer);
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
  if (!text.trim()) finish('');
  try {
    const translator = await obtain(pair, signal);
    element('download').hidden = true;
    pageKept.then((kept) => (element('offline').hidden = !kept));
    if (!text.trim()) return note('');
    element('stop').hidden = false;
    note('Translating…');
    const begun = performance.now();
    let tokens = 0;
    /** @type {string[]} */
    let found = [];
    const stream = translator.translateStreaming(text, {
      signal,
      onStatistics: (statistics) => {
        tokens = statistics.tokens;
        note(`${speed(tokens, begun)} …`);
      },
      alternatives: ALTERNATIVES,
      onAlternatives: (alternatives) => (found = alternatives),
    });
    for await (const piece of stream) target.append(piece);
    finish(speed(tokens, begun), found);
    announce();
    await hint.consider(text, signal);
  } catch (error) {
    // Aborted by typing on, by another language, or by Stop: whoever did it says what comes next.
    if (!signal.aborted) showFailure(error);
  }
}

/**
 * @param {Pair} pair
 * @param {AbortSignal} signal
 */
async function obtain(pair, signal) {
  const availability = await Translator.availability({ sourceLanguage: pair.from, targetLanguage: pair.to });
  signal.throwIfAborted();
  if (availability === 'available') note('Loading the model…');
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
  if (!element('download').hidden && pair.from === menus.from && pair.to === menus.to) showDownload(pair, loaded);
}

/**
 * @param {Pair} pair
 * @param {number} loaded
 */
function showDownload(pair, loaded) {
  const bytes = sizes.get(`${pair.from} ${pair.to}`);
  const size = bytes ? ` of ${(bytes / 1e6).toFixed(1)} MB` : '';
  element('download').hidden = loaded === 1;
  element('download-bar').value = loaded;
  element('download-label').textContent =
    `Downloading the model for ${menus.name(pair.from)} to ${menus.name(pair.to)}, once: ${Math.floor(loaded * 100)} %${size}`;
  note('');
}

/**
 * @param {number} tokens
 * @param {number} begun
 */
function speed(tokens, begun) {
  const seconds = Math.max(0.001, (performance.now() - begun) / 1000);
  return `${number.format(tokens)} ${tokens === 1 ? 'token' : 'tokens'} · ${number.format(Math.round(tokens / seconds))} tokens/s`;
}

/**
 * @param {string} text
 * @param {string[]} [alternatives]
 */
function finish(text, alternatives = []) {
  target.finish();
  others.show(alternatives, menus.to);
  element('stop').hidden = true;
  element('copy').hidden = target.value === '';
  note(text);
}

function stop() {
  if (element('stop').hidden) return;
  run?.abort();
  finish('Stopped');
}

/** @param {string} text */
function note(text) {
  element('target-note').textContent = text;
}

function describeSource() {
  const { length } = source.value;
  element('source-note').textContent = `${number.format(length)} ${length === 1 ? 'character' : 'characters'}`;
  element('clear').hidden = length === 0;
  element('undo').hidden = !draft.canUndo;
}

function announce() {
  clearTimeout(announceTimer);
  announceTimer = setTimeout(() => {
    const long = target.value.length > ANNOUNCE_AT_MOST;
    element('announcer').lang = long ? 'en' : menus.to;
    element('announcer').textContent = long ? 'The translation is complete.' : target.value;
  }, ANNOUNCE_AFTER_MS);
}

/** @param {any} error */
function showFailure(error) {
  console.error(error);
  element('download').hidden = true;
  element('stop').hidden = true;
  element('copy').hidden = target.value === '';
  note('');
  others.show([], menus.to);
  element('failure-text').textContent = error.message;
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

async function copy() {
  const button = element('copy');
  try {
    await navigator.clipboard.writeText(target.value);
    button.textContent = 'Copied';
  } catch {
    // The browser refused the clipboard: select the text, so that the visitor's own Ctrl+C does it.
    getSelection()?.selectAllChildren(element('target'));
    button.textContent = 'Selected';
  }
  setTimeout(() => (button.textContent = 'Copy'), 2000);
}

await start();
