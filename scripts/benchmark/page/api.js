/** What a visitor and a page's author get: Dragoman through its public API, timed on the page. */
import { Translator } from '../dragoman.js';

const FIRST = 'How are you?';
// As the core in Node is timed, with whose translations these are compared.
const GREEDY = { beam: 1 };

// Times are counted from the beginning of the navigation: performance.now() does.
globalThis.opened = (async () => {
  const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de' });
  const readyMs = performance.now();
  await translator.translate(FIRST, GREEDY);
  return { translator, figures: { readyMs, firstTranslationMs: performance.now() } };
})();

/** All of a text at once: its translation, and how long a second round takes. */
globalThis.whole = async (text) => {
  const { translator } = await globalThis.opened;
  const translation = await translator.translate(text, GREEDY);
  const start = performance.now();
  await translator.translate(text, GREEDY);
  return { translation, ms: performance.now() - start };
};

/** Of each sentence, streamed one after the other: its translation, and the time to the first piece of it. */
globalThis.stream = async (sentences) => {
  const { translator } = await globalThis.opened;
  const results = [];
  for (const sentence of sentences) {
    const start = performance.now();
    let firstTextMs;
    let text = '';
    for await (const piece of translator.translateStreaming(sentence, GREEDY)) {
      firstTextMs ??= performance.now() - start;
      text += piece;
    }
    results.push({ text, firstTextMs });
  }
  return results;
};
