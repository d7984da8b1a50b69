/**
 * The site as it is shipped, on a free port, with a switchboard for faults: `site.rules` maps a path to what the server does
 * there instead of serving the file.
 *
 * @typedef {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse,
 *   serveFile: () => void) => unknown} Rule
 * @typedef {Awaited<ReturnType<typeof openSite>>} Site
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HEADERS, listen, requestListener, urlOf } from '../../../scripts/site/serve.mjs';
import { makeSite } from './made.mjs';

/**
 * @param {{headers?: Record<string, string>}} [options]
 */
export async function openSite({ headers = HEADERS } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'dragoman-site-'));
  await makeSite(folder);
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
