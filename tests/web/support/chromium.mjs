import { chromium } from 'playwright-core';
import { PATIENCE, patient } from './patience.mjs';

/** The flags keep Chromium from calling home and from needing a display, a GPU or a user namespace. */
const ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A name that is not localhost, for what happens in an insecure context.
  '--host-resolver-rules=MAP insecure.test 127.0.0.1',
];

/** @param {string[]} [extra] flags */
export async function launchChromium(extra = []) {
  return patient(await chromium.launch(options(extra)));
}

/** Chromium without the window around the page, of the same build: a page costs two thirds of the work. */
export async function launchShell() {
  const executablePath = process.env.CHROMIUM_SHELL ?? '/usr/bin/chromium-headless-shell';
  return patient(await chromium.launch({ ...options([]), executablePath }));
}

/**
 * A browser whose first profile is kept in a folder, where other tools find its DevToolsActivePort.
 * @param {string} folder
 * @param {string[]} [extra] flags
 */
export async function launchProfile(folder, extra = []) {
  const context = await chromium.launchPersistentContext(folder, options(extra));
  context.setDefaultTimeout(PATIENCE);
  return context;
}

/** @param {string[]} extra */
function options(extra) {
  return {
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [...ARGS, ...extra],
    // Debian's wrapper script grumbles on stderr; playwright reads only the pipe.
    timeout: 120_000,
  };
}
