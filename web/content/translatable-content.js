import { matchTag } from '../base/language-tag.js';

/**
 * Which parts of a page are prose in the language that is to be translated, by the rules HTML gives: the translate
 * attribute, the lang attribute, and elements whose text is not prose.
 */

/** Attributes that people read or hear. */
export const TRANSLATED_ATTRIBUTES = new Set(['title', 'alt', 'aria-label', 'aria-description', 'aria-roledescription']);

const NOT_PROSE =
  'code, kbd, samp, var, tt, pre, script, style, noscript, template, textarea, input, select, option, ' +
  'math, svg, canvas, object, iframe, audio, video';

/**
 * @param {Element} element whose text or attributes are in question
 * @param {Element} root where the translation begins; what lies above it does not count
 * @param {string} language that is translated from
 */
export function skipsTranslation(element, root, language) {
  if (element.closest(NOT_PROSE)) return true;
  if (element instanceof HTMLElement && element.isContentEditable) return true;
  if (!isTranslatable(element, root)) return true;
  const marked = element.closest('[lang]');
  // On the root itself the caller has said what the language is.
  return marked !== null && marked !== root && root.contains(marked) && !sameLanguage(marked.getAttribute('lang'), language);
}

/**
 * The nearest translate attribute below or on the root decides.
 * @param {Element} element
 * @param {Element} root
 */
function isTranslatable(element, root) {
  const marked = element.closest('[translate]');
  if (!marked || !root.contains(marked)) return true;
  return marked.getAttribute('translate')?.toLowerCase() !== 'no';
}

/**
 * @param {string | null} marked
 * @param {string} language
 */
function sameLanguage(marked, language) {
  try {
    const tag = Intl.getCanonicalLocales(marked ?? '')[0];
    return matchTag([language], tag) !== undefined || matchTag([tag], language) !== undefined;
  } catch {
    // Not a language tag: it says nothing.
    return true;
  }
}
