import { create } from './elements.js';
import { counted, language, message } from './messages.js';

/**
 * The way of the last sentence through the model: each stage with the shapes and the time that it really had.
 *
 * @typedef {import('../engine/attention.js').Attention} Attention
 * @typedef {import('./panels.js').Result} Result
 * @typedef {{name: keyof typeof import('./messages-en.js').en, shape: string, what: string, ms?: number,
 *   within?: 'stageEncoder' | 'stageDecoder'}} Stage within: whose time is its time, too
 */

// As wide as the translation's own search.
const BEAM = 4;

/**
 * @param {HTMLElement} section
 * @param {import('./panels.js').Page} page
 */
export function open(section, page) {
  const empty = create('p', { className: 'note', textContent: message('nothingToExplain') });
  const list = create('ol', { className: 'stages' });
  const note = create('p', { className: 'note' });
  section.append(empty, list, note);
  /** @type {AbortController | undefined} */
  let run;

  /** @param {Result} result */
  const show = async ({ text, pair, alignment }) => {
    run?.abort();
    run = new AbortController();
    const { signal } = run;
    const range = alignment?.sentences.source.at(-1);
    /** @type {Attention | undefined} */
    let attention;
    let memory = 0;
    if (range) {
      const translator = await page.translator(pair);
      const options = {
        signal,
        beam: BEAM,
        attention: true,
        onAttention: (/** @type {Attention} */ news) => (attention = news),
        onStatistics: (/** @type {{memory: number}} */ news) => (memory = news.memory),
      };
      try {
        await translator.translate(text.slice(...range), options);
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
    }
    const pieces = attention?.sentences.flatMap(({ source }) => source) ?? [];
    empty.hidden = pieces.length > 0;
    list.replaceChildren();
    note.textContent = '';
    if (!attention || !range || pieces.length === 0) return;
    const sentence = text.slice(...range);
    const stages = stagesOf(attention, sentence);
    const whole = stages.reduce((sum, { ms = 0 }) => sum + ms, 0);
    list.replaceChildren(...stages.map((stage) => item(stage, whole)));
    note.textContent = message('memory', { mb: Math.round(memory / 1e5) / 10, ms: Math.round(whole * 10) / 10 });
  };
  return { show, close: () => run?.abort() };
}

/**
 * @param {Attention} attention
 * @param {string} sentence
 * @returns {Stage[]}
 */
function stagesOf({ shape, sentences, milliseconds, steps }, sentence) {
  const source = sentences.flatMap((one) => one.source);
  const written = sentences.flatMap(({ target }) => target).length;
  const read = source.length + sentences.length;
  const { width, encoderWidth, feedForward, encoderLayers, decoderLayers, encoderHeads, decoderHeads, vocabulary } = shape;
  const pieces = source.map(([start, end]) => sentence.slice(start, end).trim() || '·').join(' | ');
  return [
    { name: 'stageSplit', shape: counted('character', sentence.length), what: message('stageSplitWhat'), ms: milliseconds.split },
    { name: 'stagePieces', shape: `[${read}]`, what: pieces, within: 'stageEncoder' },
    {
      name: 'stageEmbed',
      shape: `[${read}, ${encoderWidth}]`,
      what: message('stageEmbedWhat', { width: encoderWidth }),
      within: 'stageEncoder',
    },
    {
      name: 'stageEncoder',
      shape: `${encoderLayers} × [${read}, ${encoderWidth}]`,
      what: message('stageEncoderWhat', { layers: encoderLayers, heads: encoderHeads, feedForward }),
      ms: milliseconds.encode,
    },
    {
      name: 'stageMemory',
      shape: `${decoderLayers} × 2 × [${read}, ${width}]`,
      what: message('stageMemoryWhat'),
      within: 'stageEncoder',
    },
    {
      name: 'stageDecoder',
      shape: `${steps} × [≤ ${BEAM}, ${width}] → [≤ ${BEAM}, ${vocabulary}]`,
      what: message('stageDecoderWhat', { layers: decoderLayers, heads: decoderHeads, steps, vocabulary, beam: BEAM }),
      ms: milliseconds.decode,
    },
    {
      name: 'stageJoin',
      shape: `[${written}]`,
      what: message('stageJoinWhat', { pieces: counted('piece', written) }),
      within: 'stageDecoder',
    },
  ];
}

/**
 * @param {Stage} stage
 * @param {number} whole milliseconds of all
 */
function item({ name, shape, what, ms, within }, whole) {
  const number = new Intl.NumberFormat(language, { maximumFractionDigits: 2 });
  const time = within ? message('stageWithin', { stage: message(within) }) : `${number.format(ms ?? 0)} ms`;
  const head = create(
    'div',
    { className: 'stage-head' },
    create('h3', { textContent: message(name) }),
    create('code', {}, shape),
  );
  const bar = create('span', { className: 'stage-bar', ariaHidden: 'true' });
  bar.style.inlineSize = `${(100 * (ms ?? 0)) / Math.max(whole, 0.001)}%`;
  return create('li', {}, head, create('p', { textContent: what }), create('p', { className: 'note', textContent: time }), bar);
}
