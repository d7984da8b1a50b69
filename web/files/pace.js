/** How long the rest will take, when it goes on as it has gone so far. */
export class Pace {
  #begun = performance.now();
  /** Before the first stretch was done here. @type {number | undefined} */
  #first;

  /**
   * @param {import('./translate.js').Progress} progress
   * @returns {number | undefined} seconds; undefined while nobody knows
   */
  secondsLeft({ done, total }) {
    this.#first ??= done;
    const seconds = (performance.now() - this.#begun) / 1000;
    // After a moment's work the figure would jump.
    if (done === this.#first || seconds < 1) return undefined;
    return (seconds * (total - done)) / (done - this.#first);
  }
}

/**
 * @param {number} seconds
 * @param {string} [locale]
 * @returns {string} `2 min, 5 sec`
 */
export function duration(seconds, locale = 'en') {
  const whole = Math.ceil(seconds);
  const units = /** @type {const} */ ([
    ['hour', Math.floor(whole / 3600)],
    ['minute', Math.floor(whole / 60) % 60],
    ['second', whole % 60],
  ]);
  const first = Math.max(0, Math.min(units.findIndex(([, count]) => count > 0) >>> 0, 2));
  // With hours, seconds say nothing.
  const parts = units.slice(first, first + 2).filter(([, count], index) => count > 0 || (index === 0 && first === 2));
  return parts.map(([unit, count]) => new Intl.NumberFormat(locale, { style: 'unit', unit }).format(count)).join(', ');
}
