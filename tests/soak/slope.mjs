/** What memory did, of samples: bytes, by hours since the beginning. */

// Caches fill, code is compiled at last.
const WARM_UP = 1 / 3;
const MOST_PERCENT_AN_HOUR = 1;
// Of fewer samples, what is left of the warm-up is most of the slope.
const ENOUGH = 20;

/** Of samples, by least squares, in percent of their mean an hour; and how much of that chance alone makes (one standard error). */
function slope(samples) {
  const n = samples.length;
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / n;
  const [x, y] = [samples.map(([hours]) => hours), samples.map(([, value]) => value)];
  const [mx, my] = [mean(x), mean(y)];
  const sxx = x.reduce((sum, value) => sum + (value - mx) ** 2, 0);
  const b = x.reduce((sum, value, i) => sum + (value - mx) * (y[i] - my), 0) / sxx;
  const rest = y.reduce((sum, value, i) => sum + (value - my - b * (x[i] - mx)) ** 2, 0);
  const percent = (value) => Math.round((10_000 * value) / my) / 100;
  return { mean: Math.round(my / 1e4) / 100, percentAnHour: percent(b), error: percent(Math.sqrt(rest / (n - 2) / sxx)) };
}

/**
 * Prints the slope of each.
 * @param {Record<string, [number, number][]>} all
 * @returns {boolean} whether one of them grows, beyond what chance can make
 */
export function report(all) {
  let grows = false;
  for (const [name, samples] of Object.entries(all)) {
    const steady = samples.slice(Math.ceil(samples.length * WARM_UP));
    if (steady.length < 3) continue;
    const { mean, percentAnHour, error } = slope(steady);
    const [least, most] = [percentAnHour - 2 * error, percentAnHour + 2 * error];
    const told = least > MOST_PERCENT_AN_HOUR ? 'grows' : most < MOST_PERCENT_AN_HOUR ? 'does not grow' : 'cannot be told yet';
    const verdict = steady.length < ENOUGH ? 'too short a run to tell' : told;
    grows ||= verdict === 'grows';
    console.log(`  ${name}: ${mean} MB, slope ${percentAnHour} ± ${error} % an hour (${steady.length} samples): ${verdict}`);
  }
  return grows;
}
