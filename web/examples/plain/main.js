import { Translator } from './node_modules/dragoman/dist/dragoman.js';

const output = document.querySelector('#output');
const languages = { sourceLanguage: 'en', targetLanguage: 'de' };

// The browser's own translator where there is one, with the same code: const { Translator } = globalThis.
const translator = await Translator.create({
  ...languages,
  monitor: (monitor) => {
    monitor.addEventListener('downloadprogress', ({ loaded }) => (output.textContent = `${Math.round(loaded * 100)} %`));
  },
});

output.textContent = '';
for await (const piece of translator.translateStreaming('I like to read books in the evening.')) output.append(piece);
translator.destroy();
