/**
 * In the page, each time something is to be translated; once more gives back what was there. (A function: Firefox wants to copy the
 * value that a script ends with.)
 */
(() => {
  // A name that the page has not: this world is the extension's.
  const state = (globalThis.dragomanState ??= {});

  /** What translateElement takes for a translator: the one that background.js has. */
  const translator = {
    sourceLanguage: 'en',
    targetLanguage: 'de',
    async translate(/** @type {string} */ text, /** @type {any} */ { alignment, onAlignment } = {}) {
      const answer = await chrome.runtime.sendMessage({ translate: text, alignment });
      if (answer.error) throw new Error(answer.error);
      if (answer.alignment) onAlignment?.(answer.alignment);
      return answer.translation;
    },
    destroy() {},
  };

  globalThis.dragomanExample = async (what) => {
    if (state.translation) {
      state.translation.undo();
      state.translation = undefined;
      return;
    }
    const selected = getSelection();
    const part = selected.rangeCount > 0 ? selected.getRangeAt(0).commonAncestorContainer : document.body;
    const root = what === 'page' ? document.body : part.nodeType === Node.ELEMENT_NODE ? part : part.parentElement;
    const { translateElement } = await import(chrome.runtime.getURL('node_modules/dragoman/dist/dragoman.js'));
    state.translation = await translateElement(root, { translator });
    await state.translation.finished;
  };
})();
