import { existsSync } from 'node:fs';
import puppeteer from 'puppeteer-core';

const executablePath = process.env.FIREFOX ?? '/usr/bin/firefox-esr';

/** A reason to skip the tests in Firefox, or nothing. */
export const firefoxMissing = existsSync(executablePath) ? false : `${executablePath} is not there (apt-get install firefox-esr)`;

/** Firefox over WebDriver BiDi, with the few methods of playwright's browser that the shared tests use. */
export async function launchFirefox() {
  const browser = await puppeteer.launch({
    browser: 'firefox',
    protocol: 'webDriverBiDi',
    executablePath,
    headless: true,
    protocolTimeout: 120_000,
  });
  return {
    newContext: () => browser.createBrowserContext(),
    newPage: () => browser.newPage(),
    close: () => browser.close(),
  };
}
