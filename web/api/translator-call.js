import { nextTask } from '../base/abort.js';
import { translateHtml } from './html-translation.js';

/**
 * @typedef {import('../engine/engine.js').Result} Result
 * @typedef {import('../engine/route.js').Route} Route
 * @typedef {import('./translate-options.js').EngineOptions} EngineOptions
 * @typedef {import('./translate-options.js').TranslateOptions} TranslateOptions
 *
 * @typedef {object} Listener
 * @property {boolean} streaming whether `onText` wants pieces as they arise, or all at the end
 * @property {(text: string) => void} onText
 * @property {(result: Result) => void} onDone
 * @property {(error: any) => void} onError
 * @property {() => void} onEnd once, whichever way it ends, before that is told
 */

// A letter, a digit or a mark: without any, there is nothing to translate, and the text comes back as it is.
const TRANSLATABLE = /[\p{L}\p{N}\p{M}]/u;

/**
 * Sends one text on its way and ties the call's end, whichever comes first, to the signal.
 * @param {Route} route
 * @param {string} text
 * @param {TranslateOptions} given
 * @param {EngineOptions} options made of them
 * @param {import('../base/abort.js').EitherSignal} signal
 * @param {Listener} listener
 * @returns {() => void} stops the work
 */
export function startCall(route, text, given, options, signal, { streaming, onText, onDone, onError, onEnd }) {
  let stopWork = () => {};
  let open = true;
  const finish = () => {
    open = false;
    signal.removeEventListener('abort', onAbort);
    onEnd();
  };
  const stop = () => {
    stopWork();
    finish();
  };
  const onAbort = () => {
    stop();
    onError(signal.reason);
  };
  /** @param {Result} result */
  const done = (result) => {
    if (!open) return;
    finish();
    const { alternatives, alignment, attention, scores } = result;
    tell(given.onAlternatives, alternatives.slice(0, given.alternatives ?? 0));
    if (alignment) tell(given.onAlignment, alignment);
    if (attention) tell(given.onAttention, attention);
    if (scores) tell(given.onScores, scores);
    onDone(result);
  };
  signal.addEventListener('abort', onAbort);
  const { alignment, scores, inspect, prefix } = options;
  if (!TRANSLATABLE.test(text) && !alignment && !scores && !inspect && prefix === undefined) {
    // Also a task later, so that an abort right after the call is heard here as everywhere.
    nextTask().then(() => {
      if (open && text) onText(text);
      done({ alternatives: [] });
    });
    return stop;
  }
  /** @type {import('../engine/engine.js').Call} */
  const call = {
    text,
    streaming,
    options,
    onText: (piece, statistics) => {
      tell(given.onStatistics, statistics);
      // The callback may have aborted the call.
      if (open) onText(piece);
    },
    onAttention: (attention) => {
      if (open) tell(given.onAttention, attention);
    },
    onDone: done,
    onError: (error) => {
      finish();
      onError(error);
    },
  };
  stopWork = given.format === 'html' ? translateHtml(route, call) : route.translate(call);
  return stop;
}

/**
 * A fault in the page's callback is the page's: reported there, and no reason to lose the translation.
 * @template T
 * @param {((news: T) => void) | undefined} callback
 * @param {T} news
 */
function tell(callback, news) {
  try {
    callback?.(news);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
