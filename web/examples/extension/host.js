import { Translator } from './node_modules/dragoman/dist/dragoman.js';

/** Translates what content.js sends. The model is loaded with the first text. */
let translator;

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
