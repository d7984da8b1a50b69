/**
 * Bergamot in Node on a model file of its own: what `dragoman translate` is compared with on the very same file.
 *
 * usage: node scripts/benchmark/bergamot.mjs MODEL.bin VOCAB.spm < sentences > translations
 *        greedy, the whole vocabulary, one sentence at a time; the peers are those of `scripts/bench --peers`
 */
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { installPeers } from './peers.mjs';

const peers = fileURLToPath(new URL('../../build/bench/peers/', import.meta.url));
const target = fileURLToPath(new URL('../../build/bench/bergamot-node/', import.meta.url));

const [model, vocabulary] = process.argv.slice(2);
if (!vocabulary) {
  console.error('usage: node scripts/benchmark/bergamot.mjs MODEL.bin VOCAB.spm < sentences');
  process.exit(2);
}
await installPeers(peers);
await cp(join(peers, 'node_modules/@browsermt/bergamot-translator/worker'), target, { recursive: true });
await writeFile(join(target, 'package.json'), '{ "type": "commonjs" }\n'); // it is written in CommonJS and does not say so

const worker = new Worker(join(target, 'translator-worker.js'));
const waiting = new Map();
worker.on('message', ({ id, result, error }) => {
  const { resolve, reject } = waiting.get(id);
  waiting.delete(id);
  if (error) reject(new Error(error.message));
  else resolve(result);
});
worker.on('error', (error) => {
  console.error(`bergamot.mjs: ${error.message}`);
  process.exit(1);
});
let calls = 0;
const call = (name, ...args) =>
  new Promise((resolve, reject) => {
    waiting.set(++calls, { resolve, reject });
    worker.postMessage({ id: calls, name, args });
  });

const bytes = async (path) => Uint8Array.from(await readFile(path)).buffer; // a copy: Node pools small files
const direction = { from: 'en', to: 'de' };
await call('initialize', { cacheSize: 0 });
const files = { model: await bytes(model), shortlist: null, vocabs: [await bytes(vocabulary)], config: {} };
await call('loadTranslationModel', direction, files);
for await (const text of createInterface({ input: process.stdin })) {
  const [{ target: translation }] = await call('translate', {
    models: [direction],
    texts: [{ text, html: false, qualityScores: false }],
  });
  process.stdout.write(`${translation.text.replaceAll('\n', ' ')}\n`);
}
await worker.terminate();
