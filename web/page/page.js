import { Dragoman } from '../dragoman.js';
import { directionOf } from './direction.js';
import { Draft } from './draft.js';
import { FilePanel } from './file-panel.js';
import { History } from './history.js';
import { LanguageHint } from './language-hint.js';
import { LanguageMenus } from './language-menus.js';
import { chooseLanguage, counted } from './messages.js';
import { keepForOffline } from './offline.js';
import { Panels } from './panels.js';
import { ShareButton, takeLinked } from './share.js';
import { ReadAloud } from './speech.js';
import { TranslationPane } from './translation-pane.js';

/**
 * The page: text in, translation out. It uses nothing of Dragoman but what any other site can use; only offline.js asks which
 * build of the engine will run, so as to keep no other.
 *
 * @typedef {import('./draft.js').State} State
 */

// Long enough to let a fast typist finish a word, short enough to feel immediate.
const PAUSE_MS = 120;

await chooseLanguage();

const element = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
/** @type {HTMLTextAreaElement} */
const source = element('source');
const draft = new Draft();
const menus = new LanguageMenus(element('from'), element('to'), onLanguages);
const hint = new LanguageHint(element('hint'), menus, chooseSource);
const history = new History();
const share = new ShareButton(element('share'), state);
const readSource = new ReadAloud(
  element('read-source'),
  () => source.value,
  () => menus.from,
);
const pane = new TranslationPane({
  source,
  nameOf: (tag) => menus.name(tag),
  translateAgain: translate,
  onReady: () => pageKept.then((kept) => (element('offline').hidden = !kept)),
  onShown: (result) => {
    panels.show(result);
    if (result.translation)
      history.note({ text: result.text, translation: result.translation, ...result.pair, time: Date.now() });
  },
});
const panels = new Panels(element('extras'), {
  history,
  bring,
  nameOf: (tag) => menus.name(tag),
  translator: (pair) => pane.translator(pair),
});

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
  source.addEventListener('keydown', ({ key }) => key === 'Escape' && pane.stop());
  element('swap').addEventListener('click', swap);
  element('clear').addEventListener('click', clear);
  element('undo').addEventListener('click', undo);
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
    return pane.fail(error);
  }
  pane.knowSizes(directions);
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
  pane.language = menus.to;
  element('swap').disabled = !menus.canSwap;
}

function onTyping() {
  pane.interrupt();
  draft.forget();
  describeSource();
  hint.hide();
  clearTimeout(pauseTimer);
  pauseTimer = setTimeout(() => {
    keep();
    translate();
  }, PAUSE_MS);
}

async function translate() {
  clearTimeout(pauseTimer);
  hint.hide();
  if (!menus.ready) return pane.interrupt();
  const { text, from, to } = state();
  if (await pane.translate(text, { from, to })) await hint.consider(text);
}

function describeSource() {
  const { length } = source.value;
  source.dir = directionOf(source.value);
  element('source-note').textContent = counted('character', length);
  element('clear').hidden = length === 0;
  element('undo').hidden = !draft.canUndo;
  share.update();
  readSource.update();
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
  draft.remember(before);
  // A translation that is not finished yet would lose the rest of the text: then only the languages change places.
  if (pane.complete) source.value = pane.complete;
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
