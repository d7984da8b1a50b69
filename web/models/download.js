import { exception } from '../base/errors.js';
import { fetchResource } from '../base/resource.js';

/**
 * One model file from the network into memory that the caller owns, whole and checked, or an error that says what the
 * server did wrong. A broken or stalled connection is taken up where it broke.
 *
 * @typedef {import('./manifest.js').ModelFile} ModelFile
 * @typedef {import('./partial-file.js').PartialFile} PartialFile
 *
 * @typedef {object} DownloadOptions
 * @property {(bytes: number) => void} onReceived hears the bytes held so far
 * @property {RequestCache} cache
 * @property {() => Promise<string>} sha256 of all that was received
 *
 * @typedef {{again: boolean, exception: DOMException}} Failure
 */

const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 250;
const STALL_MS = 10_000;

/**
 * @param {ModelFile} file
 * @param {PartialFile} partial what is there already, and where the rest goes
 * @param {DownloadOptions} options
 * @returns {Promise<void>}
 */
export async function download(file, partial, { onReceived, cache, sha256 }) {
  let mismatches = 0;
  for (let attempt = 1; ; attempt++) {
    try {
      if (partial.held < file.bytes) await receive(file, partial, cache, onReceived);
      if (partial.held < file.bytes) throw broken(file, `ended after ${partial.held} of ${file.bytes} bytes`);
      if ((await sha256()) === file.sha256) return;
      partial.begin();
      // Once may be a fault on the way, or a file that has changed since a visit before; twice is what the server has.
      const failure = mismatches++ === 0 ? broken : refused;
      throw failure(file, 'sent bytes that do not match the SHA-256 in the manifest');
    } catch (thrown) {
      const error = /** @type {Failure} */ (thrown);
      if (!error.again || attempt === ATTEMPTS) throw error.exception ?? error;
      await new Promise((resolve) => setTimeout(resolve, FIRST_PAUSE_MS * 2 ** (attempt - 1)));
    }
  }
}

/**
 * What one request brings of the part that is missing, or of the whole when the server knows no ranges or has another file by now.
 * @param {ModelFile} file
 * @param {PartialFile} partial
 * @param {RequestCache} cache
 * @param {(bytes: number) => void} onReceived
 */
async function receive(file, partial, cache, onReceived) {
  const stall = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const watch = () => {
    clearTimeout(timer);
    timer = setTimeout(() => stall.abort(), STALL_MS);
  };
  try {
    watch();
    const response = await fetchResource(file.url, { cache, signal: stall.signal, headers: rangeHeaders(file, partial) });
    checkStatus(file, partial, response);
    if (response.status !== 206) partial.begin(versionOf(response));
    const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
    for (;;) {
      watch();
      const { done, value } = await reader.read();
      if (done) return;
      if (partial.held + value.length > file.bytes) {
        partial.begin();
        throw refused(file, `sent more than the ${file.bytes} bytes the manifest promises`);
      }
      partial.append(value);
      onReceived(partial.held);
    }
  } catch (error) {
    if (/** @type {Failure} */ (error).exception) throw error;
    if (stall.signal.aborted) throw broken(file, `sent nothing for ${STALL_MS / 1000} seconds`, error);
    throw broken(file, 'could not be reached, or the connection broke', error);
  } finally {
    clearTimeout(timer);
    // Whoever stops reading early (too many bytes) also ends the transfer.
    stall.abort();
  }
}

/**
 * @param {ModelFile} file
 * @param {PartialFile} partial
 * @returns {Record<string, string>}
 */
function rangeHeaders(file, { held, version }) {
  if (held === 0) return {};
  const range = { Range: `bytes=${held}-` };
  // A weak ETag is not for ranges; and of another origin this header would have to be asked for beforehand (CORS).
  const conditional = version && !version.startsWith('W/') && new URL(file.url).origin === globalThis.origin;
  return conditional ? { ...range, 'If-Range': version } : range;
}

/** @param {Response} response */
function versionOf({ headers }) {
  return headers.get('etag') ?? headers.get('last-modified');
}

/**
 * @param {ModelFile} file
 * @param {PartialFile} partial
 * @param {Response} response
 */
function checkStatus(file, partial, response) {
  if (response.status >= 500 || response.status === 429 || response.status === 408) {
    throw broken(file, `answered ${response.status}`);
  }
  if (response.status === 416 && partial.held > 0) {
    partial.begin();
    throw broken(file, 'has a shorter file than before');
  }
  if (!response.ok) throw refused(file, `answered ${response.status}`);
  if (response.headers.get('content-type')?.startsWith('text/html')) {
    throw refused(file, 'sent a web page in its place');
  }
  // Servers of another origin may hide both headers; then the hash tells, in the end.
  const { headers, status } = response;
  const start = /^bytes (\d+)-/.exec(headers.get('content-range') ?? '')?.[1] ?? partial.held;
  const changed = partial.version !== null && (versionOf(response) ?? partial.version) !== partial.version;
  if (status === 206 && (Number(start) !== partial.held || changed)) {
    partial.begin();
    throw broken(file, 'sent another part than it was asked for');
  }
}

/**
 * A failure that may pass: worth another attempt.
 * @param {ModelFile} file
 * @param {string} what
 * @param {unknown} [cause]
 * @returns {Failure}
 */
function broken(file, what, cause) {
  return { again: true, exception: networkError(file, what, cause) };
}

/**
 * A failure that another attempt would only repeat.
 * @param {ModelFile} file
 * @param {string} what
 * @returns {Failure}
 */
function refused(file, what) {
  return { again: false, exception: networkError(file, what) };
}

/**
 * @param {ModelFile} file
 * @param {string} what
 * @param {unknown} [cause]
 */
function networkError(file, what, cause) {
  return exception(
    'NetworkError',
    `The model file ${file.name} could not be downloaded: ${new URL(file.url).host} ${what}.`,
    cause,
  );
}
