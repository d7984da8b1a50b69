/** Where the time of a translation goes: Chromium's sampling profiler over a build that keeps its functions and names. */
import { cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { printTable } from './table.mjs';

const SAMPLE_MICROSECONDS = 250;

/**
 * The stage of a sample, by the functions on its stack, innermost first; the first rule that holds counts. A product belongs to
 * whom it was computed for, so the rules ask for the kernel and for who called it.
 */
/** @type {[string, RegExp][]} */
const STAGES = [
  ['quantise, layer norm', /quantize_rows|add_layer_norm/],
  ['argmax', /argmax|extend_greedily/],
  ['encoder products', /int8_product.*Transformer::encode/],
  ['cross K/V products', /int8_product.*Transformer::fill_cross_cache/],
  ['decoder products', /int8_product.*(decoder_self_attention|cross_attention|feed_forward).*Transformer::step/],
  ['output product', /int8_product.*Transformer::step/],
  ['encoder attention', /encoder_self_attention.*Transformer::encode/],
  ['decoder attention', /\battend\b.*Transformer::step/],
  ['split, tokenise', /Tokenizer::|split_sentences|SentenceSplitter|sentencepiece|Detokenizer|Translation::Translation/],
  ['other of the core', /dragoman::/],
];
const OUTSIDE = 'other';
const IDLE = /^\((idle|root|program)\)/;

/**
 * @param {string} root of the repository
 * @param {{browser: import('playwright-core').Browser, url: string, folder: string}} site
 * @param {number} repeat
 * @returns {Promise<Record<string, Record<string, number>>>} by task, the share of each stage
 */
export async function measureProfile(root, { browser, url, folder }, repeat) {
  const target = join(folder, 'core-profile');
  await mkdir(target, { recursive: true });
  for (const name of ['dragoman-core.mjs', 'dragoman-core.wasm'])
    await cp(join(root, 'build/wasm-profile', name), join(target, name));
  const lines = (await readFile(fileURLToPath(new URL('en200.txt', import.meta.url)), 'utf8')).trim().split('\n');
  const page = await browser.newPage();
  try {
    await page.goto(`${url}bench/profile.html`);
    await page.waitForFunction(() => globalThis.translate);
    const session = await page.context().newCDPSession(page);
    await session.send('Profiler.enable');
    await session.send('Profiler.setSamplingInterval', { interval: SAMPLE_MICROSECONDS });
    const shares = {};
    for (const [task, texts] of Object.entries({ 'sentence after sentence': lines, 'all at once': [lines.join('\n')] })) {
      const run = () => page.evaluate((texts) => globalThis.translate(texts), texts);
      await run(); // V8 compiles the hot functions anew meanwhile
      await session.send('Profiler.start');
      for (let i = 0; i < repeat; i++) await run();
      shares[task] = sharesOf((await session.send('Profiler.stop')).profile);
    }
    return shares;
  } finally {
    await page.close();
  }
}

/** @param {{nodes: {id: number, callFrame: {functionName: string}, hitCount?: number, children?: number[]}[]}} profile */
function sharesOf({ nodes }) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const hits = new Map([...STAGES.map(([stage]) => stage), OUTSIDE].map((stage) => [stage, 0]));
  const visit = (node, callers) => {
    const name = node.callFrame.functionName;
    const stack = `${name} < ${callers}`;
    if (!IDLE.test(name)) {
      const stage = STAGES.find(([, pattern]) => pattern.test(stack))?.[0] ?? OUTSIDE;
      hits.set(stage, (hits.get(stage) ?? 0) + (node.hitCount ?? 0));
    }
    for (const child of node.children ?? []) visit(byId.get(child), stack);
  };
  visit(nodes[0], '');
  const all = [...hits.values()].reduce((a, b) => a + b, 0);
  return Object.fromEntries([...hits].map(([stage, count]) => [stage, count / all]));
}

/** @param {Awaited<ReturnType<typeof measureProfile>>} profile */
export function printProfile(profile) {
  const tasks = Object.keys(profile);
  const percent = (share) => `${(100 * share).toFixed(1)} %`;
  printTable(
    ['share of the time, Chromium', ...tasks],
    Object.keys(profile[tasks[0]]).map((stage) => [stage, ...tasks.map((task) => percent(profile[task][stage]))]),
  );
}
