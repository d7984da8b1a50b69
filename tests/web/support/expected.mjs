/** What the shipped weights make of a text, by the core in Node: pages have to show the same, whatever weights ship. */
import { fileURLToPath } from 'node:url';
import { loadCore, loadEngine, translate } from '../../../scripts/site/wasm_core.mjs';

const API_BEAM = 4;

/**
 * @param {string[]} texts English
 * @returns {Promise<string[]>} German, as the API gives it
 */
export async function expected(texts) {
  const core = await loadCore();
  const engine = await loadEngine(core, fileURLToPath(new URL('../../../weights/en-de', import.meta.url)));
  return texts.map((text) => translate(core, engine, text, { beam: API_BEAM }).text);
}
