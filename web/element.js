/** The element `<dragoman-translate>`, defined for the page by importing this. */
export * from './element/dragoman-translate.js';
