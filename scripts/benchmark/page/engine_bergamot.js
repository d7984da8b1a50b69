/** Bergamot, through the worker of its npm package. It answers with whole texts only. */
const PAIR = { from: 'en', to: 'de' };

const worker = new Worker('../peers/bergamot/translator-worker.js');
const waiting = new Map();
let nextId = 1;

worker.onmessage = ({ data: { id, result, error } }) => {
  const { resolve, reject } = waiting.get(id);
  waiting.delete(id);
  if (error) reject(new Error(`${error.name}: ${error.message}`));
  else resolve(result);
};

function call(name, ...args) {
  const id = nextId++;
  worker.postMessage({ id, name, args });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

export async function load() {
  const fetched = async (url) => (await fetch(url)).arrayBuffer();
  const [model, vocabulary] = await Promise.all([fetched('../peers/bergamot/model.bin'), fetched('../weights/en-de/vocab.spm')]);
  await call('initialize', { cacheSize: 0 });
  // There is no shortlist for our vocabulary: the full output layer, as ours.
  await call('loadTranslationModel', PAIR, { model, shortlist: new ArrayBuffer(0), vocabs: [vocabulary] });
}

export async function translate(text) {
  return (await translateAll([text]))[0];
}

export async function translateAll(texts) {
  const responses = await call('translate', { models: [PAIR], texts: texts.map((text) => ({ text, html: false })) });
  return responses.map(({ target }) => target.text);
}

export const wasmBytes = () => call('wasmBytes');
