/**
 * Firefox by Marionette, the protocol of its own tests: what WebDriver BiDi, and so playwright, cannot do is to use the window around
 * the page, in which the buttons of extensions are.
 */
import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';

const PAUSE_MS = 100;
const pause = () => new Promise((go) => setTimeout(go, PAUSE_MS));

/**
 * @param {string} profile a folder, which is made
 */
export async function launchMarionette(profile) {
  await mkdir(profile, { recursive: true });
  const preferences = {
    'marionette.port': 0,
    'browser.shell.checkDefaultBrowser': false,
    'datareporting.policy.dataSubmissionEnabled': false,
  };
  const lines = Object.entries(preferences).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`);
  await writeFile(join(profile, 'user.js'), lines);
  const program = process.env.FIREFOX ?? '/usr/bin/firefox-esr';
  const flags = ['--headless', '--no-remote', '--marionette', '--remote-allow-system-access', '--profile', profile];
  const firefox = spawn(program, flags, { stdio: 'ignore' });
  const ended = new Promise((resolve) => firefox.on('close', resolve));
  const port = await until(() => readFile(join(profile, 'MarionetteActivePort'), 'utf8').catch(() => undefined));
  const send = await dial(Number(port));
  await send('WebDriver:NewSession', {});

  /**
   * Its result, once it is one.
   * @template T
   * @param {() => Promise<T | undefined>} look
   * @returns {Promise<T>}
   */
  async function until(look) {
    for (;;) {
      const found = await look();
      if (found) return found;
      if (firefox.exitCode !== null) throw new Error(`Firefox ended with ${firefox.exitCode}.`);
      await pause();
    }
  }

  return {
    send,
    until,
    /**
     * A person's click, as soon as there is such an element to click.
     * @param {string} css
     * @param {number} [button] 2: the right one
     */
    click: (css, button = 0) =>
      until(async () => {
        const found = await send('WebDriver:FindElement', { using: 'css selector', value: css }).catch(() => undefined);
        if (!found) return undefined;
        const move = { type: 'pointerMove', origin: found.value, x: 0, y: 0 };
        const actions = [move, { type: 'pointerDown', button }, { type: 'pointerUp', button }];
        const mouse = { type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions };
        return send('WebDriver:PerformActions', { actions: [mouse] }).then(
          () => true,
          () => undefined,
        );
      }),
    /**
     * @param {string} script the body of a function
     * @param {unknown[]} args
     * @returns {Promise<any>}
     */
    run: async (script, ...args) => (await send('WebDriver:ExecuteScript', { script, args })).value,
    close: async () => {
      await send('Marionette:Quit', { flags: ['eForceQuit'] }).catch(() => firefox.kill());
      await ended;
    },
  };
}

/**
 * Messages are JSON with their length in bytes and a colon before them.
 * @param {number} port
 */
async function dial(port) {
  const socket = connect(port, '127.0.0.1');
  /** @type {Map<number, {resolve: (result: any) => void, reject: (error: Error) => void}>} */
  const waiting = new Map();
  let [next, received] = [1, Buffer.alloc(0)];
  const greeted = new Promise((resolve) => waiting.set(0, { resolve, reject: () => {} }));
  socket.on('data', (bytes) => {
    received = Buffer.concat([received, bytes]);
    for (;;) {
      const colon = received.indexOf(':');
      const end = colon + 1 + Number(received.subarray(0, colon));
      if (colon < 0 || received.length < end) return;
      const message = JSON.parse(received.subarray(colon + 1, end).toString());
      received = received.subarray(end);
      const [, id, error, result] = Array.isArray(message) ? message : [1, 0, null, message];
      const { resolve, reject } = /** @type {any} */ (waiting.get(id));
      waiting.delete(id);
      if (error) reject(new Error(`${error.error}: ${error.message}`));
      else resolve(result);
    }
  });
  socket.on('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('Firefox has gone.'));
  });
  socket.on('error', () => {});
  await greeted;
  return (/** @type {string} */ name, /** @type {object} */ parameters) =>
    new Promise((resolve, reject) => {
      const id = next++;
      waiting.set(id, { resolve, reject });
      const message = JSON.stringify([0, id, name, parameters]);
      socket.write(`${Buffer.byteLength(message)}:${message}`);
    });
}
