/** What the soak does in its page: rounds of work on one translator that lives throughout, and others that come and go. */
import { Translator } from '/dragoman.js';

const LANGUAGES = { sourceLanguage: 'en', targetLanguage: 'de' };
const crash = new BroadcastChannel('soak crash');
let kept;
let seed = 1;
let memory = 0;

/** Numbers that are the same on every run. */
function random(below) {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
}

/** The rounds from here on are those from the beginning on. */
export function rewind() {
  seed = 1;
}

/** @param {string[]} sentences */
function someText(sentences) {
  // Most are short, some are long: each size up to 2^14 characters is as frequent as its double.
  const length = 2 ** random(14) + random(20);
  let text = '';
  while (text.length < length) text += `${sentences[random(sentences.length)]}${random(8) ? ' ' : '\n\n'}`;
  return text.slice(0, length);
}

const onStatistics = (statistics) => (memory = Math.max(memory, statistics.memory));

export async function open() {
  kept = await Translator.create(LANGUAGES);
}

/** @param {string[]} sentences */
export const translateAll = (sentences) => Promise.all(sentences.map((sentence) => kept.translate(sentence)));

/** How a promise that may be given up on the way ended: what else it could end with is a fault. */
async function ended(promise, allowed) {
  try {
    await promise;
    return 'translated';
  } catch (error) {
    if (!allowed.includes(error.name)) throw error;
    return error.name;
  }
}

async function readSome(stream) {
  const reader = stream.getReader();
  for (let pieces = random(6); pieces >= 0; pieces--) if ((await reader.read()).done) return;
  await reader.cancel();
}

/** One round: a few texts at once, of which some are given up. Returns what became of them. */
export async function round(sentences) {
  const texts = Array.from({ length: 1 + random(6) }, () => someText(sentences));
  const work = texts.map((text) => {
    const way = random(6);
    if (way === 0)
      return ended(readSome(kept.translateStreaming(text, { beam: 1 + random(4), onStatistics })), ['OperationError']);
    if (way === 1) {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), random(200));
      return ended(kept.translate(text, { signal: controller.signal }), ['AbortError', 'OperationError']);
    }
    if (way === 2) return ended(kept.translate(`<p>${text}</p>`, { format: 'html', beam: 1 }), ['OperationError']);
    return ended(kept.translate(text, { beam: 1 + random(4), alignment: random(2) === 0, onStatistics }), ['OperationError']);
  });
  if (random(5) === 0) work.push(passing(someText(sentences)));
  return Promise.all(work);
}

/** A translator that comes and goes, now and then in the middle of its work. */
async function passing(text) {
  const languages = random(2) ? LANGUAGES : { sourceLanguage: 'de', targetLanguage: 'en' };
  const translator = await Translator.create(languages);
  const working = ended(translator.translate(text, { beam: 1 }), ['AbortError', 'OperationError']);
  if (random(2)) await working;
  translator.destroy();
  return working;
}

/** Kills the workers in the middle of a text: the call is lost, the next one is not. */
export async function killWorkers(sentences) {
  const working = ended(kept.translate(sentences.join(' ')), ['OperationError']);
  setTimeout(() => crash.postMessage('now'), 50);
  const how = await working;
  await kept.translate(sentences[0]);
  return how;
}

/** Since the last call, the largest; so that a memory that has grown is seen as long as it is there. */
export function wasmMemory() {
  const most = memory;
  memory = 0;
  return most;
}

export const workers = async () =>
  (await navigator.locks.query()).held.filter(({ name }) => name.startsWith('dragoman worker')).length;

export function close() {
  kept.destroy();
}
