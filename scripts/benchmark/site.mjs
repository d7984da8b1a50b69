/** The shipped site with the benchmark's pages beside it, served as Dragoman is: cross-origin isolated. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addModules } from '../site/bundle.mjs';
import { HEADERS, listen, requestListener, urlOf } from '../site/serve.mjs';
import { assembleSite } from '../site/site.mjs';

// Ours keeps to the policy, but transformers.js runs scripts from blob: URLs.
const { 'Content-Security-Policy': _, ...headers } = HEADERS;

const here = fileURLToPath(new URL('.', import.meta.url));

/**
 * @param {string} folder to write the site to
 * @returns {Promise<{url: string, folder: string, close: () => void}>}
 */
export async function openBenchSite(folder) {
  await assembleSite(folder);
  await cp(join(here, 'page'), join(folder, 'bench'), { recursive: true });
  await cp(join(here, 'core_run.mjs'), join(folder, 'bench/core_run.mjs'));
  await addModules(folder, ['engine/core.js']);
  const server = await listen(requestListener(folder, headers), 0);
  return {
    url: urlOf(server),
    folder,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
