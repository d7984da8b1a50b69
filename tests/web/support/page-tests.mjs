import { before, test } from 'node:test';
import { collectGarbage } from './garbage.mjs';

/** @typedef {import('playwright-core').Page} Page */

/**
 * Tests whose bodies run in a page that has the API and a few helpers on its window.
 * @param {import('./browsers.mjs').Environment & {page?: Page}} environment gets `page`, which most tests share
 */
export function pageTests(environment) {
  before(async () => {
    environment.page = await openPage(await environment.browser.newContext());
  });

  /** @param {import('playwright-core').BrowserContext} context */
  async function openPage(context) {
    const page = await context.newPage();
    await page.addInitScript(`window.collectGarbage = ${collectGarbage}`);
    await page.goto(`${environment.site.url}blank.html`);
    await page.evaluate(async () => {
      const dragoman = await import('/dragoman.js');
      const EN_DE = { sourceLanguage: 'en', targetLanguage: 'de' };
      Object.assign(window, dragoman, {
        EN_DE,
        create: (/** @type {object} */ options) => dragoman.Translator.create({ ...EN_DE, ...options }),
        LONG: 'The museum, which was built in 1889, is closed on Mondays. '.repeat(150),
        /** How a promise ends, in a form that can leave the page. */
        outcome: (/** @type {unknown} */ promise) =>
          Promise.resolve(promise).then(
            (value) => ({ value: typeof value === 'string' || typeof value === 'number' ? value : typeof value }),
            (error) => ({ error: error?.name, message: error?.message, type: error?.constructor?.name }),
          ),
        read: async (/** @type {ReadableStream<string>} */ stream) => {
          const pieces = [];
          for await (const piece of stream) pieces.push(piece);
          return pieces;
        },
      });
    });
    return page;
  }

  /**
   * A test whose body runs in the page, in a fresh profile if it asks for one.
   * @param {string} name
   * @param {() => unknown} body
   * @param {(result: any) => unknown} check
   * @param {{fresh?: boolean, setup?: () => unknown}} [options]
   */
  function pageTest(name, body, check, { fresh = false, setup } = {}) {
    test(name, async () => {
      await setup?.();
      const own = fresh ? await environment.browser.newContext() : undefined;
      try {
        const page = own ? await openPage(own) : /** @type {Page} */ (environment.page);
        const result = await page.evaluate(body);
        await check(result);
      } finally {
        await own?.close();
        environment.site.rules.clear();
      }
    });
  }

  return { openPage, pageTest };
}
