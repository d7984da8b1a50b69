/** @param {number[]} values at least one */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * The median of each figure over repetitions of the same measurement.
 * @param {Record<string, number>[]} runs
 * @returns {Record<string, number>}
 */
export function medians(runs) {
  return Object.fromEntries(Object.keys(runs[0]).map((name) => [name, median(runs.map((run) => run[name]))]));
}

/**
 * The straight line through points, by least squares.
 * @param {number[]} x
 * @param {number[]} y as many, at least three
 * @returns {{mean: number, slope: number, error: number}} of y; error: of the slope, one standard error
 */
export function line(x, y) {
  const n = x.length;
  const average = (/** @type {number[]} */ values) => values.reduce((sum, value) => sum + value, 0) / n;
  const [mx, mean] = [average(x), average(y)];
  const sxx = x.reduce((sum, value) => sum + (value - mx) ** 2, 0);
  const slope = x.reduce((sum, value, i) => sum + (value - mx) * (y[i] - mean), 0) / sxx;
  const rest = y.reduce((sum, value, i) => sum + (value - mean - slope * (x[i] - mx)) ** 2, 0);
  return { mean, slope, error: Math.sqrt(rest / (n - 2) / sxx) };
}
