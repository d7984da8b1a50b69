/** Translates one text with the WebAssembly module under Node: node scripts/site/translate.mjs MODEL_FOLDER TEXT */
import { loadCore, loadEngine, translate } from './wasm_core.mjs';

const [folder, text] = process.argv.slice(2);
try {
  process.stderr.write(`translating with ${folder}\n`);
  const core = await loadCore();
  const engine = await loadEngine(core, folder);
  translate(core, engine, text, { onText: (part) => process.stdout.write(part) });
  process.stdout.write('\n');
} catch (thrown) {
  const { code, message } = /** @type {Error & {code?: string}} */ (thrown);
  process.stderr.write(`${code ?? 'error'}: ${message}\n`);
  process.exitCode = 1;
}
