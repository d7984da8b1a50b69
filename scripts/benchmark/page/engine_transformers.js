/** transformers.js on ONNX Runtime Web, one thread, through its pipeline. */

// ONNX Runtime keeps its memory to itself.
const memories = [];
WebAssembly.Memory = class extends WebAssembly.Memory {
  constructor(options) {
    super(options);
    memories.push(this);
  }
};

const { BaseStreamer, env, pipeline } = await import('../peers/transformers/transformers.min.js');

let translator;

export async function load() {
  env.allowRemoteModels = false;
  env.allowLocalModels = true;
  env.localModelPath = new URL('../peers/transformers/models/', import.meta.url).pathname;
  const runtime = (name) => new URL(`../peers/transformers/${name}`, import.meta.url).href;
  Object.assign(env.backends.onnx.wasm, {
    numThreads: 1,
    proxy: false,
    wasmPaths: { mjs: runtime('ort-wasm-simd-threaded.mjs'), wasm: runtime('ort-wasm-simd-threaded.wasm') },
  });
  translator = await pipeline('translation', 'model', { dtype: 'q8', device: 'wasm' });
}

/** Hears the prompt first, then every token. */
class FirstToken extends BaseStreamer {
  #calls = 0;
  #onText;

  constructor(onText) {
    super();
    this.#onText = onText;
  }

  put() {
    if (this.#calls++ === 1) this.#onText();
  }

  end() {}
}

export async function translate(text, onText) {
  return (await translateBatch([text], onText && new FirstToken(onText)))[0];
}

// More gain little: a batch is padded to its longest and runs until its last has ended.
const BATCH = 8;

export async function translateAll(texts) {
  const order = texts.map((_, i) => i).sort((a, b) => texts[a].length - texts[b].length);
  const translations = [];
  for (let start = 0; start < order.length; start += BATCH) {
    const batch = order.slice(start, start + BATCH);
    const translated = await translateBatch(batch.map((i) => texts[i]));
    for (const [k, i] of batch.entries()) translations[i] = translated[k];
  }
  return translations;
}

async function translateBatch(texts, streamer) {
  // The bound that our engine has, too: a translation that does not end by itself takes as long in both.
  const [, length] = translator.tokenizer(texts, { padding: true }).input_ids.dims;
  const options = { num_beams: 1, do_sample: false, max_new_tokens: 2 * length + 16, streamer };
  return (await translator(texts, options)).map(({ translation_text: text }) => text);
}

export const wasmBytes = () => memories.reduce((bytes, { buffer }) => bytes + buffer.byteLength, 0);
