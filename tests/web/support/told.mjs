/**
 * What a button says for two seconds, which a busy machine may look at too late: to be asked for before it is pressed.
 * @param {import('playwright-core').Page} page
 * @param {string} button
 * @param {string} text
 * @returns {Promise<() => Promise<unknown>>} waits until it has said so
 */
export async function told(page, button, text) {
  const said = await page.evaluateHandle((button) => {
    const box = document.querySelector(button);
    /** @type {(string | null | undefined)[]} */
    const said = [];
    if (box) new MutationObserver(() => said.push(box.textContent)).observe(box, { childList: true });
    return said;
  }, button);
  return () => page.waitForFunction(([said, text]) => said.includes(text), /** @type {const} */ ([said, text]));
}
