/** The race as tables: one for each peer, beside the goals. */
import { median } from './statistics.mjs';
import { FORMATS, printTable } from './table.mjs';

// Ratios to Bergamot; the wasm memory is bounded in bytes, beyond the weights.
const GOALS = {
  wordsPerSecondAtOnce: 3.0,
  wordsPerSecond: 2.5,
  firstTextMs: 0.33,
  brotli: 0.35,
  memoryBeyondWeights: 24_000_000,
  growth: 10.5,
  beamWordsPerSecondAtOnce: 2.0,
  beamFirstTextMs: 60,
};

/**
 * @param {Awaited<ReturnType<typeof import('./race.mjs').race>>} results
 * @param {number} weights bytes
 */
export function printRace([own, beam, ...peers], weights) {
  for (const peer of peers) {
    console.log(`\n${peer.title}: ${peer.equal} of ${peer.of} translations are the same as Dragoman's`);
    printTable(
      ['figure', 'Dragoman', peer.title, 'ratio', 'goal', 'met'],
      rows(own, beam, peer, peer.name === 'bergamot', weights),
    );
  }
}

function rows(own, beam, peer, hasGoals, weights) {
  const speed = (figure, name, goal, ours = own) =>
    row(figure, 'rate', ours.figures[name], peer.figures[name], pairedRatio(ours, peer, name), goal, 'least');
  const cost = (figure, format, name, goal) =>
    row(figure, format, own.figures[name], peer.figures[name], pairedRatio(own, peer, name), goal, 'most');
  const goals = hasGoals ? GOALS : {};
  const table = [
    speed('200 sentences at once, words/s', 'wordsPerSecondAtOnce', goals.wordsPerSecondAtOnce),
    speed('sentence after sentence, words/s', 'wordsPerSecond', goals.wordsPerSecond),
    speed('200 at once, ours with a beam of 4, words/s', 'wordsPerSecondAtOnce', goals.beamWordsPerSecondAtOnce, beam),
    speed('one by one, ours with a beam of 4, words/s', 'wordsPerSecond', undefined, beam),
    cost('first text of 15 words, ms', 'ms', 'firstTextMs', goals.firstTextMs),
    cost('navigation to first translation, warm, ms', 'ms', 'arrivalMs'),
    cost('wasm memory, bytes', 'bytes', 'wasmBytes'),
    cost('renderer memory, bytes', 'bytes', 'rendererBytes'),
  ];
  for (const packing of ['raw', 'gzip', 'brotli']) {
    const [a, b] = [own.sizes[packing], peer.sizes[packing]];
    table.push(row(`wasm, ${packing}, bytes`, 'bytes', a, b, a / b, goals[packing], 'most'));
  }
  if (hasGoals) {
    const limit = weights + GOALS.memoryBeyondWeights;
    table.push(
      bound('first text with a beam of 4, ms', 'ms', beam.figures.firstTextMs, GOALS.beamFirstTextMs),
      bound('wasm memory, bytes: weights + 24 MB', 'bytes', own.figures.wasmBytes, limit),
      bound('10 x the text, times the time', 'ratio', own.figures.growth, GOALS.growth),
    );
  }
  return table;
}

/** Both ran in every round under what conditions there were: the ratio is taken in each, then its median. */
function pairedRatio(own, peer, name) {
  if (!(name in own.rounds[0])) return own.figures[name] / peer.figures[name];
  return median(own.rounds.map((round, i) => round[name] / peer.rounds[i][name]));
}

function row(figure, format, own, peer, ratio, goal, kind) {
  const met = goal && (kind === 'least' ? ratio >= goal : ratio <= goal);
  const sign = kind === 'least' ? '>=' : '<=';
  return [
    figure,
    FORMATS[format](own),
    FORMATS[format](peer),
    FORMATS.ratio(ratio),
    ...verdict(goal && `${sign} ${FORMATS.ratio(goal)}`, met),
  ];
}

function bound(figure, format, value, limit) {
  return [figure, FORMATS[format](value), '', '', ...verdict(`<= ${FORMATS[format](limit)}`, value <= limit)];
}

const verdict = (goal, met) => (goal ? [goal, met ? 'yes' : 'no'] : ['', '']);
