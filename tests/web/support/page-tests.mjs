import { before, test } from 'node:test';
import { collectGarbage } from './garbage.mjs';

/**
 * Tests whose bodies run in a page that has the API and a few helpers on its window.
 * @param {{site: any, browser: any, page?: any}} environment of inEachBrowser; gets `page`, which most tests share
 */
export function pageTests(environment) {
  before(async () => {
    environment.page = await openPage(await environment.browser.newContext());
  });

  async function openPage(context) {
    const page = await context.newPage();
    await page.addInitScript(`window.collectGarbage = ${collectGarbage}`);
    await page.goto(`${environment.site.url}blank.html`);
    await page.evaluate(async () => {
      Object.assign(window, await import('/dragoman.js'));
      window.EN_DE = { sourceLanguage: 'en', targetLanguage: 'de' };
      window.create = (options) => Translator.create({ ...EN_DE, ...options });
      window.LONG = 'The museum, which was built in 1889, is closed on Mondays. '.repeat(150);
      /** How a promise ends, in a form that can leave the page. */
      window.outcome = (promise) =>
        Promise.resolve(promise).then(
          (value) => ({ value: typeof value === 'string' || typeof value === 'number' ? value : typeof value }),
          (error) => ({ error: error?.name, message: error?.message, type: error?.constructor?.name }),
        );
      window.read = async (stream) => {
        const pieces = [];
        for await (const piece of stream) pieces.push(piece);
        return pieces;
      };
    });
    return page;
  }

  /** A test whose body runs in the page, in a fresh profile if it asks for one. */
  function pageTest(name, body, check, { fresh = false, setup } = {}) {
    test(name, async () => {
      await setup?.();
      const own = fresh ? await environment.browser.newContext() : undefined;
      try {
        const result = await (own ? await openPage(own) : environment.page).evaluate(body);
        await check(result);
      } finally {
        await own?.close();
        environment.site.rules.clear();
      }
    });
  }

  return { openPage, pageTest };
}
