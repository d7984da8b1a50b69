/**
 * Serves a folder (build/site/) on 127.0.0.1, the way Dragoman should be served anywhere:
 *   node scripts/site/serve.mjs [--port 8080] [folder]
 * Cross-origin isolation (COOP, COEP) is what lets the engine use several threads; without it the page runs on one.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import sirv from 'sirv';

export const HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types dragoman',
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/**
 * @param {string} folder
 * @param {Record<string, string>} [headers] of every answer
 * @returns {import('node:http').RequestListener}
 */
export function requestListener(folder, headers = HEADERS) {
  // `dev` reads the folder at every request, so that a rebuilt site needs no restart; the browser asks each time whether
  // its copy is still good, and is told so by ETag.
  const files = sirv(folder, { dev: true, etag: true });
  return (request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    files(request, response, () => {
      response.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8' });
      response.end('Not found\n');
    });
  };
}

/**
 * @param {import('node:http').RequestListener} listener
 * @param {number} port 0 takes a free one
 * @returns {Promise<import('node:http').Server>} listening
 */
export async function listen(listener, port) {
  const server = createServer(listener);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/**
 * @param {import('node:http').Server} server that listens
 * @returns {string} where
 */
export function urlOf(server) {
  return `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}/`;
}

function siteFolder() {
  return join(fileURLToPath(new URL('../..', import.meta.url)), 'build/site');
}

async function main() {
  const { values, positionals } = parseArgs({
    options: { port: { type: 'string', default: '8080' } },
    allowPositionals: true,
  });
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65535) throw new Error(`--port ${values.port} is not a port number.`);
  const server = await listen(requestListener(positionals[0] ?? siteFolder()), port);
  console.log(`Dragoman is at ${urlOf(server)} (Ctrl+C ends it)`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main().catch((error) => {
    const busy = error.code === 'EADDRINUSE' && 'The port is in use by another program; choose another with --port.';
    console.error(busy || error.message);
    process.exit(1);
  });
}
