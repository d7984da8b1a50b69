/** ms that a page may take for what it is waited for: many times what a busy machine needs, for nothing but a hang to end here. */
const PATIENCE = 180_000;

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
