/**
 * Minifiers shorten the names of classes and functions, and pages see those: `Translator.name`, the console. What is public
 * says its own.
 * @template {Function} T
 * @param {string} name
 * @param {T} value
 * @returns {T}
 */
export function named(name, value) {
  return Object.defineProperty(value, 'name', { value: name });
}
