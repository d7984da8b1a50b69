/**
 * Trusted Types: where a page has `require-trusted-types-for 'script'` in its Content-Security-Policy, no string becomes
 * code, save what a policy lets through. This one lets addresses of scripts through, and is given our own only: nobody else
 * can reach it. A page that lists its policies lists it, too: `trusted-types dragoman`.
 *
 * @typedef {{createScriptURL: (url: string) => any}} Policy
 */

/** @type {Policy | undefined} */
let policy;

/**
 * @param {string | URL} url of one of our scripts
 * @returns {any} what a worker may be started from
 */
export function trustedScript(url) {
  const { trustedTypes } = /** @type {{trustedTypes?: any}} */ (globalThis);
  if (!trustedTypes) return url;
  try {
    policy ??= /** @type {Policy} */ (trustedTypes.createPolicy('dragoman', { createScriptURL: String }));
  } catch {
    // Not on the page's list, or there twice (two copies of this module): then it is the page's default policy that decides.
    return url;
  }
  return policy.createScriptURL(String(url));
}

/**
 * Has workers that `start` makes come through the policy. It makes them itself, by a literal `new Worker(new URL(…))`, since that
 * is all that bundlers understand: so for as long as it runs, that name stands for a class that asks the policy.
 * @param {() => Worker} start
 * @returns {Worker}
 */
export function startTrusted(start) {
  const { Worker: Native } = globalThis;
  try {
    trustWorkers();
    return start();
  } finally {
    globalThis.Worker = Native;
  }
}

/** The same for good, for a worker that starts workers. */
export function trustWorkers() {
  globalThis.Worker = class extends globalThis.Worker {
    /**
     * @param {string | URL} url
     * @param {WorkerOptions} [options]
     */
    constructor(url, options) {
      super(trustedScript(url), options);
    }
  };
}
