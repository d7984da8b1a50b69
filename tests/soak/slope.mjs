/** What memory did, of samples: bytes, by hours since the beginning. */
import { line } from '../../scripts/benchmark/statistics.mjs';

// Caches fill, code is compiled at last.
const WARM_UP = 1 / 3;
const MOST_PERCENT_AN_HOUR = 1;
// Of fewer samples, what is left of the warm-up is most of the slope.
const ENOUGH = 20;

/** Of samples, in percent of their mean an hour, and how much of that chance alone makes. */
function slope(samples) {
  const found = line(
    samples.map(([hours]) => hours),
    samples.map(([, value]) => value),
  );
  const percent = (value) => Math.round((10_000 * value) / found.mean) / 100;
  return { mean: Math.round(found.mean / 1e4) / 100, percentAnHour: percent(found.slope), error: percent(found.error) };
}

/**
 * Prints the slope of each.
 * @param {Record<string, [number, number][]>} all
 * @param {string[]} [others] of which growth is told, but not counted
 * @returns {boolean} whether one of them grows, beyond what chance can make
 */
export function report(all, others = []) {
  let grows = false;
  for (const [name, samples] of Object.entries(all)) {
    const steady = samples.slice(Math.ceil(samples.length * WARM_UP));
    if (steady.length < 3) continue;
    const { mean, percentAnHour, error } = slope(steady);
    const [least, most] = [percentAnHour - 2 * error, percentAnHour + 2 * error];
    const told = least > MOST_PERCENT_AN_HOUR ? 'grows' : most < MOST_PERCENT_AN_HOUR ? 'does not grow' : 'cannot be told yet';
    const verdict = steady.length < ENOUGH ? 'too short a run to tell' : told;
    grows ||= verdict === 'grows' && !others.includes(name);
    console.log(`  ${name}: ${mean} MB, slope ${percentAnHour} ± ${error} % an hour (${steady.length} samples): ${verdict}`);
  }
  return grows;
}
