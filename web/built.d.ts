/** What scripts/site/site.mjs and scripts/site/package.mjs put beside these files. */

declare module '*/dragoman-core.mjs' {
  const createModule: (options: object) => Promise<import('./engine/core.js').Core>;
  export default createModule;
}

declare module '*/dragoman-core-threads.mjs' {
  const createModule: (options: object) => Promise<import('./engine/core.js').Core>;
  export default createModule;
}

declare module '*/static.extrasmall.js' {
  export const eld: import('./api/language-detector.js').Tables;
}
