/** Dragoman, through its public API. */
import { Translator } from '../dragoman.js';

let translator;
let memory = 0;
const onStatistics = (statistics) => (memory = statistics.memory);

export async function load() {
  translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de' });
}

export async function translate(text, onText) {
  if (!onText) return translator.translate(text, { onStatistics });
  let whole = '';
  for await (const piece of translator.translateStreaming(text, { onStatistics })) {
    onText(piece);
    whole += piece;
  }
  return whole;
}

export async function translateAll(texts) {
  return (await translator.translate(texts.join('\n'), { onStatistics })).split('\n');
}

export const wasmBytes = () => memory;
