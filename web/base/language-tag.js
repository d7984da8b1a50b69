/**
 * BCP 47 language tags as the specification treats them: validated and canonicalised with the browser's own tables, then
 * matched by dropping subtags from the end (`de-AT-1996` finds `de`).
 */

/**
 * @param {unknown} tag
 * @returns {string} the canonical form
 * @throws {RangeError} when the tag is not well-formed
 */
export function canonicalTag(tag) {
  return Intl.getCanonicalLocales(String(tag))[0];
}

/**
 * @param {Iterable<string>} available canonical tags
 * @param {string} requested canonical tag
 * @returns {string | undefined} the most specific available tag that is a prefix of the requested one
 */
export function matchTag(available, requested) {
  const offered = new Set(available);
  let candidate = requested;
  while (candidate) {
    if (offered.has(candidate)) return candidate;
    const cut = candidate.lastIndexOf('-');
    if (cut < 0) return undefined;
    candidate = candidate.slice(0, cut);
    // A lone letter or digit (as in de-x-…, zh-u-…) starts an extension and never ends a tag.
    if (candidate.at(-2) === '-') candidate = candidate.slice(0, -2);
  }
  return undefined;
}
