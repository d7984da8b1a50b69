/** The core's parts: its kernels beside what bounds them, and the cost of a token early and late. */
import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkSame } from './core_run.mjs';
import { printTable } from './table.mjs';

const GOAL_SHARE = 0.8;
const GOAL_GROWTH = 1.3;
// The shapes that have the goal, with the faster of the relaxed kernels.
const WITH_GOAL = ['1 x 2048 x 512', '32 x 2048 x 512'];

/**
 * @param {string} root of the repository
 * @param {string[]} args of core_bench, built natively
 */
async function runNatively(root, args, input = '') {
  const run = promisify(execFile)(join(root, 'build/native/core_bench'), args);
  run.child.stdin?.end(input);
  return JSON.parse((await run).stdout);
}

const MODEL_FILES = ['config.json', 'model.safetensors', 'vocab.spm'];

/**
 * The same work as measureCore's (core_run.mjs), natively.
 * @param {string} root of the repository
 * @param {string} model folder
 * @param {{sentences: string[], expected: string[]}} task
 * @returns {Promise<{tokensPerSecond: number, tokensPerSecondAtOnce: number}>}
 */
export async function translateNatively(root, model, { sentences, expected }) {
  const files = MODEL_FILES.map((name) => join(model, name));
  const { translations, figures } = await runNatively(root, ['translate', ...files], sentences.join('\n'));
  checkSame('the native translations', translations, expected);
  return figures;
}

/**
 * @param {string} root of the repository
 * @param {{browser: import('playwright-core').Browser, url: string, folder: string}} site
 * @param {{task: string, model?: string}} task
 */
async function runInChromium(root, { browser, url, folder }, task) {
  for (const name of ['core_bench.mjs', 'core_bench.wasm', 'kernel-ceilings.wasm']) {
    await cp(join(root, 'build/wasm', name), join(folder, 'core', name));
  }
  const page = await browser.newPage();
  try {
    await page.goto(`${url}bench/core.html`);
    return await page.evaluate((task) => globalThis.measure(task, 'parts_worker.js'), task);
  } finally {
    await page.close();
  }
}

export async function measureKernels(root, chromium) {
  return { native: await runNatively(root, ['kernels']), chromium: await runInChromium(root, chromium, { task: 'kernels' }) };
}

export async function measureGrowth(root, model, chromium) {
  const files = MODEL_FILES.slice(0, 2).map((name) => join(model, name));
  return {
    native: await runNatively(root, ['growth', ...files]),
    chromium: await runInChromium(root, chromium, { task: 'growth', model: '../weights/en-de' }),
  };
}

const fixed = (digits) => (value) => value.toFixed(digits);

/** @param {Awaited<ReturnType<typeof measureKernels>>} result */
export function printKernels(result) {
  for (const [where, { int8, float }] of Object.entries(result)) {
    console.log(`\nint8 products, ${where}; GOP/s, every result checked before it was timed`);
    const rows = int8.map(({ kernel, rows, outputs, width, gops, computeGops, streamGops, share }) => {
      const shape = `${rows} x ${outputs} x ${width}`;
      const best = Math.max(
        ...int8.filter((f) => f.rows === rows && f.outputs === outputs && f.width === width).map((f) => f.gops),
      );
      const aimed = where === 'chromium' && WITH_GOAL.includes(shape) && kernel !== 'plain' && gops === best;
      const verdict = aimed ? [`>= ${100 * GOAL_SHARE} %`, share >= GOAL_SHARE ? 'yes' : 'no'] : ['', ''];
      return [shape, kernel, ...[gops, computeGops, streamGops].map(fixed(1)), `${fixed(0)(100 * share)} %`, ...verdict];
    });
    printTable(
      ['rows x outputs x width', 'kernel', 'GOP/s', 'ceiling: dots only', 'loads only', 'of the lower', 'goal', 'met'],
      rows,
    );
    console.log(`\nother kernels, ${where}`);
    const others = float.map(({ kernel, size, nanoseconds, gigabytesPerSecond }) => [
      kernel,
      size,
      fixed(0)(nanoseconds),
      fixed(1)(gigabytesPerSecond),
    ]);
    printTable(['kernel', 'size', 'ns', 'GB/s'], others);
  }
}

/** @param {Awaited<ReturnType<typeof measureGrowth>>} result */
export function printGrowth(result) {
  console.log('');
  const rows = Object.entries(result).map(([where, { earlyMs, lateMs, ratio }]) => [
    where,
    ...[earlyMs, lateMs, ratio].map(fixed(3)),
    `<= ${GOAL_GROWTH} x`,
    ratio <= GOAL_GROWTH ? 'yes' : 'no',
  ]);
  const { early, late } = result.native;
  printTable(['ms a token, one sentence', `at position ${early}`, `at ${late}`, 'ratio', 'goal', 'met'], rows);
}
