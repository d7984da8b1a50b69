import { exception } from '../base/errors.js';

/** What is wrong with a file, in one sentence. @param {string} message @param {unknown} [cause] */
export function dataError(message, cause) {
  return exception('DataError', message, cause);
}
