/**
 * Dragoman: translation in the browser, with the API of the W3C's built-in translator.
 *
 * `Translator` and `LanguageDetector` follow the specification (https://webmachinelearning.github.io/translation-api/);
 * `Dragoman` holds what the specification has no place for.
 *
 * @example
 * import { Translator } from './dragoman.js';
 * const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de' });
 * console.log(await translator.translate('How are you?'));
 */

export { LanguageDetector } from './api/language-detector.js';
export { Dragoman } from './api/models.js';
export { Translator } from './api/translator.js';
export { translateElement } from './content/element-translation.js';
