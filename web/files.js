/**
 * Files, translated: text, Markdown, HTML, subtitles, messages, tables, documents and books.
 *
 * @example
 * import { translateFile } from './files.js';
 * const translated = await translateFile(await file.bytes(), file.name, translator);
 */

export { endings, openDocument } from './files/formats.js';
export { duration, Pace } from './files/pace.js';
export { progressOf, translateFile, translateSegments } from './files/translate.js';
