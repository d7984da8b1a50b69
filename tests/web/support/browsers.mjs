import { after, before, describe } from 'node:test';
import { launchShell } from './chromium.mjs';
import { firefoxMissing, launchFirefox } from './firefox.mjs';
import { openSite } from './site.mjs';

const browsers = [
  { browserName: 'Chromium', launch: launchShell, skip: false },
  { browserName: 'Firefox', launch: launchFirefox, skip: firefoxMissing },
];

/**
 * Those that run, by what they were launched with: a Firefox costs more to start than many a suite to run.
 * @type {Map<string, Promise<import('playwright-core').Browser>>}
 */
const running = new Map();

/**
 * One for all suites of this process that ask for the same.
 * @param {typeof browsers[number]} kind
 * @param {Record<string, string | number | boolean>} preferences
 * @returns {Promise<import('playwright-core').Browser>}
 */
async function share({ browserName, launch }, preferences) {
  const key = browserName === 'Firefox' ? JSON.stringify(preferences) : browserName;
  const browser = await running.get(key)?.catch(() => undefined);
  if (browser?.isConnected()) return browser;
  const launched = launch(preferences);
  running.set(key, launched);
  return launched;
}

after(() => Promise.all([...running.values()].map(async (browser) => (await browser).close())));

/**
 * @typedef {{browserName: string, site: import('./site.mjs').Site, browser: import('playwright-core').Browser}} Environment
 */

/**
 * The same tests in Chromium and in Firefox, each with a site of its own.
 * @param {(environment: Environment) => void} suite `site` and `browser` are there from the first test on
 * @param {Record<string, string | number | boolean>} [preferences] of Firefox, for what Chromium takes later, with a context
 * @param {number} [timeout] ms: a test that waits for what never comes must not hold up all others for ever
 */
export function inEachBrowser(suite, preferences, timeout) {
  inBrowsers(browsers, suite, preferences, timeout);
}

/**
 * For what is the page's own doing, of which browsers make the same: in Chromium; in Firefox, too, with DRAGOMAN_EVERY_BROWSER=1.
 * @param {(environment: Environment) => void} suite
 * @param {Record<string, string | number | boolean>} [preferences] of Firefox
 */
export function inChromium(suite, preferences) {
  inBrowsers(process.env.DRAGOMAN_EVERY_BROWSER === '1' ? browsers : browsers.slice(0, 1), suite, preferences);
}

/**
 * @param {typeof browsers} kinds
 * @param {(environment: Environment) => void} suite
 * @param {Record<string, string | number | boolean>} [preferences]
 * @param {number} [timeout]
 */
function inBrowsers(kinds, suite, preferences = {}, timeout = 1_200_000) {
  for (const kind of kinds) {
    const { browserName, skip } = kind;
    describe(browserName, { skip, timeout }, () => {
      const environment = /** @type {Environment} */ ({ browserName });
      before(async () => {
        [environment.site, environment.browser] = await Promise.all([openSite(), share(kind, preferences)]);
      });
      after(async () => {
        for (const context of environment.browser?.contexts() ?? []) await context.close();
        await environment.site?.close();
      });
      suite(environment);
    });
  }
}
