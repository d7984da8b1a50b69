/**
 * The rejections of the API. The standard says which DOMException each failure is; this file is the one place that makes
 * them, and that carries them over the border between worker and page.
 */

// Chromium takes the name away from a window whose frame was removed, and that, too, has its exception.
const { DOMException } = globalThis;

/**
 * @param {string} name the DOMException name the specification gives
 * @param {string} message one sentence a person can act on
 * @param {unknown} [cause] what lies underneath, for the console
 * @returns {DOMException}
 */
export function exception(name, message, cause) {
  const error = new DOMException(message, name);
  if (cause !== undefined) Object.defineProperty(error, 'cause', { value: cause, configurable: true });
  return error;
}

/**
 * QuotaExceededError became a class of its own in 2025; browsers without it get a DOMException with the same members.
 * @param {string} message
 * @param {{requested: number, quota?: number}} numbers `quota` only if it is known
 * @returns {DOMException & {requested: number | null, quota: number | null}}
 */
export function quotaExceeded(message, numbers) {
  const Native = /** @type {any} */ (globalThis).QuotaExceededError;
  if (typeof Native === 'function') return new Native(message, numbers);
  return Object.assign(new DOMException(message, 'QuotaExceededError'), { quota: null, ...numbers });
}

// Those that this file makes for a worker. Any other is the browser's own, and no answer that a caller could expect.
const OURS = ['AbortError', 'DataError', 'NetworkError', 'NotSupportedError', 'OperationError', 'QuotaExceededError'];

/**
 * What postMessage can carry of an error in every browser (cloning a DOMException loses its cause, and in Node all of it).
 * @typedef {{name: string, message: string, code?: string, requested?: number, quota?: number}} ErrorRecord
 */

/**
 * @param {any} error
 * @returns {ErrorRecord}
 */
export function toRecord(error) {
  const { name, message, code, requested, quota } = error ?? {};
  return {
    name:
      error instanceof DOMException && OURS.includes(name) ? name : code === 'invalid-argument' ? 'TypeError' : 'OperationError',
    // An exception of C++ that nothing has caught there has no message: only memory that runs out makes one.
    message:
      message ?? (String(error).includes('WebAssembly.Exception') ? 'There is not enough memory for this.' : String(error)),
    ...(typeof code === 'string' && { code }),
    ...(typeof requested === 'number' && { requested, quota: quota ?? undefined }),
  };
}

/**
 * @param {ErrorRecord} record
 * @returns {DOMException | TypeError}
 */
export function fromRecord({ name, message, code, requested, quota }) {
  // The core refuses what only it can see is wrong; to the caller that is no different from what the API itself refuses.
  if (name === 'TypeError') return new TypeError(message);
  if (name === 'QuotaExceededError') return quotaExceeded(message, { requested: requested ?? 0, quota });
  return exception(name, message, code && { code });
}
