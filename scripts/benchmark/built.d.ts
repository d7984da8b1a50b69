/** What the benchmark puts beside its pages. */

declare module '*/core_bench.mjs' {
  const createModule: (options: object) => Promise<any>;
  export default createModule;
}

declare module '*/transformers.min.js' {
  export const BaseStreamer: any;
  export const env: any;
  export const pipeline: any;
}
