/**
 * The site as it is shipped, on a free port, with a switchboard for faults: `site.rules` maps a path to what the server does
 * there instead of serving the file.
 *
 * @typedef {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse,
 *   serveFile: () => void) => unknown} Rule
 * @typedef {Awaited<ReturnType<typeof openSite>>} Site
 */
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addModules } from '../../../scripts/site/bundle.mjs';
import { HEADERS, listen, requestListener, urlOf } from '../../../scripts/site/serve.mjs';
import { assembleSite } from '../../../scripts/site/site.mjs';

// A page with nothing on it, for tests that call the API themselves.
const BLANK =
  '<!doctype html><html lang="en"><title>Blank</title><link rel="icon" href="icons/dragoman.svg"><p>Blank.</p></html>';

// What tests look at behind the API.
const INNER_MODULES = ['api/translate-options.js', 'engine/core.js', 'engine/relaxed-kernels.js'];

/** @param {string} folder */
async function assemble(folder) {
  await assembleSite(folder);
  await writeFile(join(folder, 'blank.html'), BLANK);
  await addModules(folder, INNER_MODULES);
}

/**
 * A site of its own: a copy of $DRAGOMAN_SITE, which scripts/test has assembled once for all files of tests, or a new one.
 * @param {{headers?: Record<string, string>}} [options]
 */
export async function openSite({ headers = HEADERS } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'dragoman-site-'));
  if (process.env.DRAGOMAN_SITE) await cp(process.env.DRAGOMAN_SITE, folder, { recursive: true });
  else await assemble(folder);
  const files = requestListener(folder, headers);
  /** @type {Map<string, Rule>} */
  const rules = new Map();
  /** @type {string[]} */
  const requests = [];
  const server = await listen((request, response) => {
    const [path] = String(request.url).split('?');
    requests.push(path);
    const serveFile = () => files(request, response);
    const rule = rules.get(path);
    if (rule) rule(request, response, serveFile);
    else serveFile();
  }, 0);
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return {
    url: urlOf(server),
    folder,
    rules,
    requests,
    /**
     * The address of what is fetched only when it is needed.
     * @param {string} name of the module that it begins with
     */
    chunk: async (name) => {
      const file = (await readdir(folder)).find((file) => file.startsWith(`${name}-`) && /-[A-Z0-9]{8}\.js$/.test(file));
      if (!file) throw new Error(`the site has no chunk ${name}`);
      return `/${file}`;
    },
    /** From now on there is nobody at that address. */
    stop,
    close: async () => {
      stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What a broken server answers. */
export const answers = {
  /** @type {(code: number) => Rule} */
  status: (code) => (_, response) => response.writeHead(code, { 'Content-Type': 'text/plain' }).end('no\n'),
  /** @type {Rule} */
  html: (_, response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Sign in to the Wi-Fi</h1>'),
  /** @type {(bytes: Uint8Array) => Rule} */
  bytes: (bytes) => (_, response) => response.writeHead(200, { 'Content-Type': 'application/octet-stream' }).end(bytes),
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await assemble(resolve(process.argv[2]));
