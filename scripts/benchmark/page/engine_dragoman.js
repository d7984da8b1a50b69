/** Dragoman, through its public API; greedy, as the other engines, unless the page's address asks for a beam. */
import { Translator } from '../dragoman.js';

let translator;
let memory = 0;
const options = {
  beam: Number(new URLSearchParams(location.search).get('beam') ?? 1),
  onStatistics: (statistics) => (memory = statistics.memory),
};

export async function load() {
  translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de' });
}

export async function translate(text, onText) {
  if (!onText) return translator.translate(text, options);
  let whole = '';
  for await (const piece of translator.translateStreaming(text, options)) {
    onText(piece);
    whole += piece;
  }
  return whole;
}

export async function translateAll(texts) {
  return (await translator.translate(texts.join('\n'), options)).split('\n');
}

export const wasmBytes = () => memory;
