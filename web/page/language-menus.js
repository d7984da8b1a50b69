import { language } from './messages.js';

/**
 * The two language menus and the swap between them. They offer only what can be translated, each target for its source.
 * @typedef {{sourceLanguage: string, targetLanguage: string}} Direction
 */
export class LanguageMenus {
  #from;
  #to;
  /** @type {Map<string, Set<string>>} targets by source */
  #targets = new Map();
  #names = new Intl.DisplayNames([language], { type: 'language' });

  /**
   * @param {HTMLSelectElement} from
   * @param {HTMLSelectElement} to
   * @param {() => void} onChange after the visitor chose
   */
  constructor(from, to, onChange) {
    this.#from = from;
    this.#to = to;
    from.addEventListener('change', () => {
      this.#offerTargets(to.value);
      onChange();
    });
    to.addEventListener('change', onChange);
  }

  /**
   * @param {Direction[]} directions
   * @param {Partial<Direction>} preferred
   */
  offer(directions, { sourceLanguage, targetLanguage }) {
    this.#targets = reachable(directions);
    const sources = [...this.#targets.keys()];
    this.#fill(this.#from, sources, sourceLanguage);
    this.#offerTargets(targetLanguage);
  }

  get ready() {
    return this.#targets.size > 0;
  }

  get from() {
    return this.#from.value;
  }

  get to() {
    return this.#to.value;
  }

  get canSwap() {
    return this.#targets.get(this.to)?.has(this.from) ?? false;
  }

  /** @param {string} source */
  offers(source) {
    return this.#targets.has(source);
  }

  /** @param {Direction} direction of which what is not offered stays as it is: a state of before the list came has no languages */
  choose({ sourceLanguage, targetLanguage }) {
    if (this.offers(sourceLanguage)) this.#from.value = sourceLanguage;
    this.#offerTargets(targetLanguage || this.to);
  }

  /** @param {string} tag */
  name(tag) {
    return this.#names.of(tag) ?? tag;
  }

  /** @param {string | undefined} wanted */
  #offerTargets(wanted) {
    this.#fill(this.#to, [...(this.#targets.get(this.from) ?? [])], wanted);
  }

  /**
   * @param {HTMLSelectElement} select
   * @param {string[]} tags
   * @param {string | undefined} wanted
   */
  #fill(select, tags, wanted) {
    const options = tags.map((tag) => new Option(this.name(tag), tag));
    options.sort((a, b) => a.text.localeCompare(b.text));
    select.replaceChildren(...options);
    select.value = tags.find((tag) => tag === wanted) ?? tags[0] ?? '';
  }
}

/**
 * Every target of every source: directly, or from there through English as Translator does it.
 * @param {Direction[]} directions
 */
function reachable(directions) {
  /** @type {Map<string, Set<string>>} */
  const targets = new Map();
  const add = (/** @type {string} */ from, /** @type {string} */ to) =>
    from !== to && targets.set(from, (targets.get(from) ?? new Set()).add(to));
  for (const { sourceLanguage, targetLanguage } of directions) add(sourceLanguage, targetLanguage);
  const [intoEnglish, fromEnglish] = [
    directions.filter(({ targetLanguage }) => targetLanguage === 'en'),
    directions.filter(({ sourceLanguage }) => sourceLanguage === 'en'),
  ];
  for (const { sourceLanguage } of intoEnglish) {
    for (const { targetLanguage } of fromEnglish) add(sourceLanguage, targetLanguage);
  }
  return targets;
}
