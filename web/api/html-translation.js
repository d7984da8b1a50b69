import { JointCalls } from '../engine/joint-calls.js';
import { sum } from '../engine/statistics.js';
import { readHtml, writeHtml } from '../markup/html.js';
import { weave } from '../markup/weave.js';

/**
 * @typedef {import('../engine/engine.js').Call} Call
 * @typedef {import('../engine/engine.js').Statistics} Statistics
 */

// Paragraphs on their way at once: enough to fill the engine's rows, few enough that the first one is not held up by all others.
const IN_FLIGHT = 8;

/**
 * Translates HTML as Route.translate does text. What is between tags that end a sentence is one text; the tags in it go with
 * their words. It leaves in whole paragraphs: where a tag belongs is known when the last sentence within it is.
 * @param {import('../engine/route.js').Route} route
 * @param {Call} call
 * @returns {() => void} stops the work
 */
export function translateHtml(route, call) {
  const parts = readHtml(call.text);
  /** What is known of the result, part by part. @type {(string | undefined)[]} */
  const output = parts.map(({ html, section }) => (section ? undefined : html));
  const waiting = parts.flatMap(({ section }, index) => (section ? { section, index } : []));
  /** @type {(Statistics | undefined)[]} */
  const statistics = parts.map(() => undefined);
  const calls = new JointCalls(call.onError);
  let [begun, sent] = [0, 0];

  const send = () => {
    let ready = '';
    while (sent < output.length && output[sent] !== undefined) ready += output[sent++];
    if (call.streaming || sent === output.length) {
      if (!call.streaming) ready = output.join('');
      if (ready) call.onText(ready, sum(statistics));
      if (sent === output.length && !calls.stopped) call.onDone({ alternatives: [] });
    }
  };
  const advance = () => {
    while (!calls.stopped && calls.size < IN_FLIGHT && begun < waiting.length) begin(waiting[begun++]);
  };
  /** @param {typeof waiting[number]} what */
  const begin = ({ section, index }) => {
    let translation = '';
    calls.start(route, {
      ...call,
      text: section.text,
      streaming: false,
      options: { ...call.options, alignment: section.marks.length > 0 },
      onText: (text, counts) => {
        translation += text;
        statistics[index] = counts;
      },
      onDone: ({ alignment }) => {
        const words = alignment?.words ?? { source: [], target: [], links: [] };
        output[index] = section.lead + writeHtml(weave(section, translation, words)) + section.trail;
        send();
        advance();
      },
    });
  };
  if (waiting.length > 0) advance();
  else queueMicrotask(() => !calls.stopped && send());
  return () => calls.stop();
}
