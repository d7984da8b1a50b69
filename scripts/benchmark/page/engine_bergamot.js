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
  // There is no shortlist for our vocabulary: then it has the full output layer, as ours.
  const fetched = async (url) => fetch(url).then((response) => (response.ok ? response.arrayBuffer() : new ArrayBuffer(0)));
  const urls = ['../peers/bergamot/model.bin', '../weights/en-de/vocab.spm', '../peers/bergamot/lex.bin'];
  const [model, vocabulary, shortlist] = await Promise.all(urls.map(fetched));
  await call('initialize', { cacheSize: 0 });
  await call('loadTranslationModel', PAIR, { model, shortlist, vocabs: [vocabulary] });
}

export async function translate(text) {
  return (await translateAll([text]))[0];
}

export async function translateAll(texts) {
  const responses = await call('translate', { models: [PAIR], texts: texts.map((text) => ({ text, html: false })) });
  return responses.map(({ target }) => target.text);
}

export const wasmBytes = () => call('wasmBytes');
