import { en } from './messages-en.js';

/**
 * What the page says, in the first of the visitor's languages that it knows. index.html has the English, so that it can be read
 * before any script has run; its attributes name the message that takes the place of a text (`data-message`) or of an attribute
 * (`data-message-label`, …).
 *
 * @typedef {Record<keyof typeof en, string>} Messages
 */

/** @type {Record<string, () => Promise<Messages>>} */
const others = {
  de: async () => (await import('./messages-de.js')).de,
};

const ATTRIBUTES = { label: 'aria-label', title: 'title', placeholder: 'placeholder', empty: 'data-empty' };

/** @type {Messages} */
let messages = en;
/** Of the interface. */
export let language = 'en';
/** The same, with the visitor's country if they named one: as numbers and times are written. */
export let locale = 'en';
let plurals = new Intl.PluralRules(locale);
let numbers = new Intl.NumberFormat(locale);

/** Chooses the language of the interface; to be awaited before anything else is said. */
export async function chooseLanguage() {
  for (const tag of navigator.languages) {
    const wanted = tag.split('-')[0];
    if (wanted === 'en') return write(tag);
    if (!Object.hasOwn(others, wanted)) continue;
    try {
      messages = await others[wanted]();
    } catch (error) {
      // English is better than no page.
      return console.warn('Dragoman: the interface stays English.', error);
    }
    language = wanted;
    write(tag);
    document.documentElement.lang = language;
    document.title = message('title');
    fillIn(document.body);
    return;
  }
}

/** @param {string} tag as whom numbers and times are written */
function write(tag) {
  locale = tag;
  plurals = new Intl.PluralRules(tag);
  numbers = new Intl.NumberFormat(tag);
}

/**
 * Says in the interface's language what below an element names its messages.
 * @param {Element} root
 */
export function fillIn(root) {
  for (const element of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll('*'))) {
    for (const [name, key] of Object.entries(element.dataset)) {
      const id = /** @type {keyof Messages} */ (key);
      if (name === 'message') element.textContent = message(id);
      else if (name.startsWith('message')) element.setAttribute(attributeOf(name), message(id));
    }
  }
}

/** @param {string} name as in a data set: messageLabel */
function attributeOf(name) {
  return ATTRIBUTES[/** @type {keyof typeof ATTRIBUTES} */ (name.slice('message'.length).toLowerCase())];
}

/**
 * @param {keyof Messages} key of a message that has a place for each value, as {name}
 * @param {Record<string, string | number>} [values]
 * @returns {string}
 */
export function message(key, values = {}) {
  return messages[key].replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name] ?? '';
    return typeof value === 'number' ? numbers.format(value) : value;
  });
}

/**
 * @param {number} probability
 * @returns {string} in percent; what may be is not written as nothing
 */
export function percent(probability) {
  return probability < 0.005 ? '< 1 %' : `${Math.round(100 * probability)} %`;
}

/**
 * A message about a number of things, which has a form for one and one for more: `key` and `keyMany`.
 * @template {string} K
 * @param {K & (`${K}Many` extends keyof Messages ? keyof Messages : never)} key
 * @param {number} n
 */
export function counted(key, n) {
  return message(/** @type {keyof Messages} */ (plurals.select(n) === 'one' ? key : `${key}Many`), { n });
}
