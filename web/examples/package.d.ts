/** The package, where an example names it by its file. */
declare module '*/dragoman/dist/dragoman.js' {
  export * from 'dragoman';
}

declare module '*/dragoman/dist/same-thread.js' {
  export { Dragoman, Translator } from 'dragoman';
}

/** What browsers give an extension. */
declare const chrome: any;
