/**
 * One repetition in Node, in a process of its own: nothing is loaded yet, and the memory is this run's alone. Prints JSON.
 *   node node_process.mjs MODEL_FOLDER < {"sentences": [...], "expected": [...]}
 */
import { text } from 'node:stream/consumers';
import { loadCore, loadEngine } from '../site/wasm_core.mjs';
import { measureCore } from './core_run.mjs';

const { sentences, expected } = JSON.parse(await text(process.stdin));
const start = performance.now();
const core = await loadCore();
const moduleReady = performance.now();
const engine = await loadEngine(core, process.argv[2]);
const modelReady = performance.now();
const { translations, figures } = measureCore(core, engine, sentences, expected);
const loading = { loadModuleMs: moduleReady - start, loadModelMs: modelReady - moduleReady };
console.log(JSON.stringify({ translations, figures: { ...loading, ...figures } }));
