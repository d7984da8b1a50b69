import { existsSync } from 'node:fs';
import { firefox } from 'playwright-core';
import { patient } from './patience.mjs';

const executablePath = process.env.FIREFOX ?? '/usr/bin/firefox-esr';

/** A reason to skip the tests in Firefox, or nothing. */
export const firefoxMissing = existsSync(executablePath) ? false : `${executablePath} is not there (apt-get install firefox-esr)`;

/**
 * Firefox as Debian ships it, over WebDriver BiDi. (That takes playwright-core 1.64: from 1.65 on it demands a command that
 * Firefox ESR 153 does not have yet.)
 * @param {Record<string, string | number | boolean>} [preferences] as in about:config
 */
export async function launchFirefox(preferences = {}) {
  const browser = await firefox.launch({
    executablePath,
    // The name under which playwright speaks BiDi rather than the protocol of its own patched Firefox.
    channel: 'moz-firefox',
    firefoxUserPrefs: {
      // A name that is not localhost, for what happens in an insecure context.
      'network.dns.localDomains': 'insecure.test',
      ...preferences,
    },
    timeout: 120_000,
  });
  return patient(browser);
}
