import { exception } from '../base/errors.js';
import { fetchResource } from '../base/resource.js';

/**
 * One model file from the network into memory that the caller owns, whole and checked, or an error that says what the
 * server did wrong. A broken or stalled connection is taken up where it broke.
 *
 * @typedef {import('./manifest.js').ModelFile} ModelFile
 *
 * @typedef {object} Sink
 * @property {(chunk: Uint8Array, offset: number) => void} write
 * @property {() => Promise<string>} sha256 of all that was written
 *
 * @typedef {{again: boolean, exception: DOMException}} Failure
 */

const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 250;
const STALL_MS = 10_000;

/**
 * @param {ModelFile} file
 * @param {Sink} sink
 * @param {{onReceived: (bytes: number) => void, cache: RequestCache}} options `onReceived` hears the bytes held so far
 * @returns {Promise<void>}
 */
export async function download(file, sink, { onReceived, cache }) {
  let held = 0;
  let mismatches = 0;
  for (let attempt = 1; ; attempt++) {
    try {
      for await (const chunk of connection(file, held, cache)) {
        if (chunk.restart) held = 0;
        if (held + chunk.bytes.length > file.bytes) {
          throw refused(file, `sent more than the ${file.bytes} bytes the manifest promises`);
        }
        sink.write(chunk.bytes, held);
        held += chunk.bytes.length;
        onReceived(held);
      }
      if (held < file.bytes) throw broken(file, `ended after ${held} of ${file.bytes} bytes`);
      if ((await sink.sha256()) === file.sha256) return;
      held = 0;
      // Once may be a fault on the way; twice is what the server has.
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
 * The chunks of one request that starts at `offset`, or at 0 (`restart`) when the server knows no ranges.
 * @param {ModelFile} file
 * @param {number} offset
 * @param {RequestCache} cache
 */
async function* connection(file, offset, cache) {
  const stall = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const watch = () => {
    clearTimeout(timer);
    timer = setTimeout(() => stall.abort(), STALL_MS);
  };
  try {
    watch();
    const response = await fetchResource(file.url, {
      cache,
      signal: stall.signal,
      headers: offset > 0 ? { Range: `bytes=${offset}-` } : {},
    });
    checkStatus(file, response);
    let restart = response.status !== 206;
    const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
    for (;;) {
      watch();
      const { done, value } = await reader.read();
      if (done) return;
      yield { bytes: value, restart };
      restart = false;
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
 * @param {Response} response
 */
function checkStatus(file, response) {
  if (response.status >= 500 || response.status === 429 || response.status === 408) {
    throw broken(file, `answered ${response.status}`);
  }
  if (!response.ok) throw refused(file, `answered ${response.status}`);
  if (response.headers.get('content-type')?.startsWith('text/html')) {
    throw refused(file, 'sent a web page in its place');
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
