import { readFile } from 'node:fs/promises';
import { launchChromium } from '../../tests/web/support/chromium.mjs';
import { useOneThread } from './chromium.mjs';

/** An engine on a page in a browser of its own, so that the memory of its renderer is the engine's alone. */
export class Contender {
  #browser;
  #page;

  /**
   * @param {string} url of the benchmark's site
   * @param {string} query engine=NAME, of engine_NAME.js, and what that reads
   */
  static async open(url, query) {
    const contender = new Contender();
    contender.#browser = await launchChromium();
    contender.#page = await contender.#browser.newPage();
    await useOneThread(contender.#page);
    await contender.#page.goto(`${url}bench/race.html?${query}`);
    await contender.#ready();
    return contender;
  }

  /** One of the tasks of page/race.js. */
  run(task, input) {
    return this.#page.evaluate(([task, input]) => globalThis.race(task, input), [task, input]);
  }

  /**
   * Loads the page anew, with all caches warm.
   * @returns {Promise<number>} ms from the navigation to the translation of `text`
   */
  async revisit(text) {
    await this.#page.reload();
    await this.#ready();
    return this.run('arrive', text);
  }

  #ready() {
    return this.#page.waitForFunction(() => globalThis.race, undefined, { timeout: 60_000 });
  }

  /** Resident memory of the largest renderer process; Chromium keeps a spare one beside the page's. */
  async rendererBytes() {
    const session = await this.#browser.newBrowserCDPSession();
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    await session.detach();
    const renderers = processInfo.filter(({ type }) => type === 'renderer');
    return Math.max(...(await Promise.all(renderers.map(({ id }) => residentBytes(id)))));
  }

  async close() {
    await this.#browser?.close();
  }
}

async function residentBytes(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return 1024 * Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]);
}
