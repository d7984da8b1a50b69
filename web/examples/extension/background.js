/**
 * Begins a translation where the visitor asks for one: the button, for the page, or the menu of a selection. It puts content.js into the
 * page, and sees to it that somebody is there who translates: a document of the extension's own, since Chromium's service workers cannot
 * start workers. Firefox's background is such a document itself.
 */
const host = chrome.offscreen ? openDocument : () => import('./host.js');

chrome.runtime.onInstalled.addListener(() => {
  chrome.contextMenus.create({ id: 'selection', title: 'Translate the selection', contexts: ['selection'] });
});
chrome.action.onClicked.addListener((tab) => translate({ tabId: tab.id }, 'page'));
chrome.contextMenus.onClicked.addListener(({ frameId }, tab) => translate({ tabId: tab.id, frameIds: [frameId] }, 'selection'));

async function translate(target, what) {
  await host();
  await chrome.scripting.executeScript({ target, files: ['content.js'] });
  await chrome.scripting.executeScript({ target, func: (what) => globalThis.dragomanExample(what), args: [what] });
}

/** The one that is being opened. */
let opening;

async function openDocument() {
  if (await chrome.offscreen.hasDocument()) return;
  opening ??= chrome.offscreen.createDocument({
    url: 'host.html',
    reasons: ['WORKERS'],
    justification: 'The model runs in a worker.',
  });
  await opening;
  opening = undefined;
}
