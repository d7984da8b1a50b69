import { Translator } from './node_modules/dragoman/dist/same-thread.js';

/**
 * Begins a translation where the visitor asks for one, by the button, for the page, or by the menu of a selection: it puts content.js
 * into the page, and translates what that sends. In Chromium this is a service worker, which cannot start workers: the model runs on
 * its own thread.
 */

/** The model is loaded with the first text, and again when the browser has ended this script in between. */
let translator;

chrome.runtime.onInstalled.addListener(() => {
  chrome.contextMenus.create({ id: 'selection', title: 'Translate the selection', contexts: ['selection'] });
});
chrome.action.onClicked.addListener((tab) => begin({ tabId: tab.id }, 'page'));
chrome.contextMenus.onClicked.addListener(({ frameId }, tab) => begin({ tabId: tab.id, frameIds: [frameId] }, 'selection'));

async function begin(target, what) {
  await chrome.scripting.executeScript({ target, files: ['content.js'] });
  await chrome.scripting.executeScript({ target, func: (what) => globalThis.dragomanExample(what), args: [what] });
}

chrome.runtime.onMessage.addListener((message, _sender, answer) => {
  if (typeof message?.translate !== 'string') return false;
  translate(message).then(answer, (error) => {
    translator = undefined;
    answer({ error: error.message });
  });
  return true; // the answer comes later
});

async function translate({ translate: text, alignment }) {
  translator ??= Translator.create({ sourceLanguage: 'en', targetLanguage: 'de' });
  let found;
  const translation = await (await translator).translate(text, { alignment, onAlignment: (alignment) => (found = alignment) });
  return { translation, alignment: found };
}
