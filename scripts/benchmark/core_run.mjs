/**
 * One measurement of the core: the same code in Node and in a browser's worker, on the Embind module itself, so that the
 * two differ in nothing but the engine below.
 */

/**
 * @param {any} core the module
 * @param {any} engine of the module, newly made
 * @param {string[]} sentences
 * @param {string[]} [expected] translations of the sentences
 * @returns {{translations: string[], figures: Record<string, number>}}
 */
export function measureCore(core, engine, sentences, expected) {
  // The first pass is not timed, but for its first sentence: it shows that the output is right, and the browser compiles
  // the hot functions anew meanwhile.
  const first = sentences.map((sentence) => run(core, engine, sentence));
  const translations = first.map(({ text }) => text);
  checkSame('the translations', translations, expected ?? translations);
  checkSame('all sentences at once', run(core, engine, sentences.join('\n')).text.split('\n'), translations);

  const alone = sentences.map((sentence) => run(core, engine, sentence));
  const together = run(core, engine, sentences.join('\n'));
  return {
    translations,
    figures: {
      coldFirstTextMs: first[0].firstTextMs,
      firstTextMs: mean(alone.map(({ firstTextMs }) => firstTextMs)),
      slowestFirstTextMs: Math.max(...alone.map(({ firstTextMs }) => firstTextMs)),
      tokensPerSecond: (1000 * sum(alone.map(({ tokens }) => tokens))) / sum(alone.map(({ ms }) => ms)),
      tokensPerSecondAtOnce: (1000 * together.tokens) / together.ms,
      // WebAssembly memory never shrinks: what it is now, it was at its peak.
      memoryBytes: core.HEAPU8.length,
    },
  };
}

function run(core, engine, source) {
  const start = performance.now();
  const translation = engine.start(new TextEncoder().encode(source), core.defaultOptions());
  try {
    let firstTextMs;
    let text = '';
    do {
      engine.step();
      const part = translation.takeText();
      if (part) firstTextMs ??= performance.now() - start;
      text += part;
    } while (!translation.done());
    return { text, tokens: translation.tokens(), firstTextMs, ms: performance.now() - start };
  } finally {
    translation.delete();
  }
}

/** Speed of wrong output is worth nothing: throws at the first difference. */
export function checkSame(what, found, expected) {
  if (found.length !== expected.length) throw new Error(`${what}: ${found.length} in place of ${expected.length}`);
  const i = found.findIndex((text, index) => text !== expected[index]);
  if (i >= 0)
    throw new Error(`${what}: sentence ${i + 1} is ${JSON.stringify(found[i])}, expected ${JSON.stringify(expected[i])}`);
}

const sum = (values) => values.reduce((a, b) => a + b, 0);
const mean = (values) => sum(values) / values.length;
