import { after, before, describe } from 'node:test';
import { launchShell } from './chromium.mjs';
import { firefoxMissing, launchFirefox } from './firefox.mjs';
import { openSite } from './site.mjs';

const browsers = [
  { browserName: 'Chromium', launch: launchShell, skip: false },
  { browserName: 'Firefox', launch: launchFirefox, skip: firefoxMissing },
];

/**
 * @typedef {{browserName: string, site: import('./site.mjs').Site, browser: import('playwright-core').Browser}} Environment
 */

/**
 * The same tests in Chromium and in Firefox, each with a site of its own.
 * @param {(environment: Environment) => void} suite `site` and `browser` are there from the first test on
 * @param {Record<string, string | number | boolean>} [preferences] of Firefox, for what Chromium takes later, with a context
 * @param {number} [timeout] ms: a test that waits for what never comes must not hold up all others for ever
 */
export function inEachBrowser(suite, preferences = {}, timeout = 1_200_000) {
  for (const { browserName, launch, skip } of browsers) {
    describe(browserName, { skip, timeout }, () => {
      const environment = /** @type {Environment} */ ({ browserName });
      before(async () => {
        [environment.site, environment.browser] = await Promise.all([openSite(), launch(preferences)]);
      });
      after(async () => {
        await environment.browser?.close();
        await environment.site?.close();
      });
      suite(environment);
    });
  }
}
