/** ms that a page may take for what it is waited for: many times what a busy machine needs, for nothing but a hang to end here. */
export const PATIENCE = 180_000;

/**
 * Every page of the browser waits as long.
 * @param {import('playwright-core').Browser} browser
 */
export function patient(browser) {
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(PATIENCE);
    return context;
  };
  return browser;
}

/**
 * Waits, in this process, for what comes without an event.
 * @template T
 * @param {() => T | Promise<T>} look
 * @returns {Promise<T>} the first of what it sees that is true
 */
export async function until(look) {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`never: ${look}`);
    await new Promise((go) => setTimeout(go, 20));
  }
}
