import { LanguageDetector, Translator } from 'dragoman';

const input = document.querySelector('input');
const output = document.querySelector('output');
const [translator, detector] = await Promise.all([
  Translator.create({ sourceLanguage: 'en', targetLanguage: 'de' }),
  LanguageDetector.create(),
]);

let run = new AbortController();

async function update() {
  run.abort();
  run = new AbortController();
  const { signal } = run;
  try {
    const [best] = await detector.detect(input.value, { signal });
    document.querySelector('#language').textContent = new Intl.DisplayNames('en', { type: 'language' }).of(best.detectedLanguage);
    output.value = await translator.translate(input.value, { signal });
  } catch (error) {
    if (error.name !== 'AbortError') output.value = error.message;
  }
}

input.addEventListener('input', update);
await update();
