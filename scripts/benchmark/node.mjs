import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('node_process.mjs', import.meta.url));

/**
 * @param {string} model folder
 * @param {{sentences: string[], expected?: string[]}} task
 * @returns {Promise<ReturnType<typeof import('./core_run.mjs').measureCore>>}
 */
export async function runInNode(model, task) {
  const child = spawn(process.execPath, [script, model], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(task));
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (status !== 0) throw new Error('the run in Node failed');
  return JSON.parse(output);
}
