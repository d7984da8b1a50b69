/**
 * A browser all of whose traffic, from pages, workers, service workers and itself, goes through a proxy that keeps a list of the
 * hosts that were asked for, and connects to none but this machine.
 */
import { once } from 'node:events';
import { request as connect, createServer } from 'node:http';
import { launchChromium } from './chromium.mjs';
import { launchFirefox } from './firefox.mjs';

// What browsers ask for on their own account, whatever stands in flags and preferences.
const OF_THE_BROWSER = /\.(mozilla|firefox|google|googleapis|gvt1)\.(com|org|net)(:\d+)?$/;

/** @param {'Chromium' | 'Firefox'} browserName */
export async function launchWatched(browserName) {
  /** @type {Set<string>} */
  const hosts = new Set();
  const note = (/** @type {string} */ host) => OF_THE_BROWSER.test(host) || hosts.add(host);
  const proxy = createServer((request, response) => {
    const { host, hostname, port, pathname, search } = new URL(String(request.url));
    note(host);
    if (hostname !== '127.0.0.1') return response.writeHead(502).end();
    const { method, headers } = request;
    const onward = connect({ host: hostname, port, path: pathname + search, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  proxy.on('connect', ({ url }, socket) => {
    note(String(url));
    socket.end('HTTP/1.1 502 No\r\n\r\n');
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (proxy.address());
  const browser = await (browserName === 'Chromium'
    ? launchChromium([`--proxy-server=127.0.0.1:${port}`, '--proxy-bypass-list=<-loopback>'])
    : launchFirefox({
        'network.proxy.type': 1,
        'network.proxy.http': '127.0.0.1',
        'network.proxy.http_port': port,
        'network.proxy.ssl': '127.0.0.1',
        'network.proxy.ssl_port': port,
        'network.proxy.no_proxies_on': '',
        'network.proxy.allow_hijacking_localhost': true,
      }));
  return {
    browser,
    hosts,
    close: async () => {
      await browser.close();
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}
