const LIST = '/weights/manifest.json';

/**
 * Opens the page and types before the list of models is there. So the first attempt to load a model is the one for this text,
 * and the only one: whoever waits for its end waits for all that typing has set off.
 * @param {import('playwright-core').Page} page
 * @param {import('./site.mjs').Site} site its rule for the list is this function's
 * @param {string} text
 */
export async function openTyping(page, site, text) {
  let release = () => {};
  /** @type {Promise<void>} */
  const typed = new Promise((resolve) => (release = resolve));
  site.rules.set(LIST, async (_request, _response, serveFile) => {
    await typed;
    serveFile();
  });
  await page.goto(site.url);
  await page.fill('#source', text);
  release();
}
