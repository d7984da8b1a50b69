/** The element `<dragoman-translate>`, defined for the page by importing this. */
export { DragomanTranslate } from './element/dragoman-translate.js';
