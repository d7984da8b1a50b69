/** Where models come from when a page names no others. The npm package has a generated twin, for bundlers (scripts/site/package.mjs). */
export const defaultModels = new URL('../weights/manifest.json', import.meta.url);
