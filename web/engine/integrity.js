/**
 * Subresource integrity of the wasm files, by name: the browser compares before it gives out a byte. In the tree there is none;
 * site and package have a generated twin (scripts/site/integrity.mjs).
 * @type {Record<string, string | undefined>}
 */
export const integrity = {};
