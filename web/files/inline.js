import { decode, encode } from '../markup/character-references.js';
import { dataError } from './errors.js';

/**
 * A segment: prose, and what must keep its place in it. To the translator that is HTML in which each such thing is an element
 * with a number; a tag for each comes back, wherever its words went.
 *
 * @typedef {object} Pair what goes with the words that it holds
 * @property {string} open
 * @property {string} close
 * @property {(characters: string) => string} [write] how it has text, if that is its own
 *
 * @typedef {(string | {thing: string | Pair, content: Woven})[]} Woven text, things, and what they hold
 */

const TAG = /(<(?:span|img|code) id="\d+">|<\/(?:span|code)>)/;

export class Inline {
  #html = '';
  #prose = '';
  /** @type {(string | Pair)[]} */
  #things = [];

  /** @param {string} characters */
  text(characters) {
    this.#prose += characters;
    this.#html += encode(characters);
  }

  /** @param {string} what stands somewhere and holds nothing */
  point(what) {
    this.#html += `<img id="${this.#number(what)}">`;
  }

  /** @param {Pair} what goes with the words until it is closed */
  open(what) {
    this.#html += `<span id="${this.#number(what)}">`;
  }

  close() {
    this.#html += '</span>';
  }

  /**
   * A word of the sentence that is not translated.
   * @param {string} characters
   * @param {string} what
   */
  protect(characters, what) {
    this.#html += `<code id="${this.#number(what)}">${encode(characters)}</code>`;
  }

  /** Without a letter there is nothing to translate. */
  get hasWords() {
    return /\p{L}/u.test(this.#prose);
  }

  get html() {
    return this.#html;
  }

  /**
   * What the file has now.
   * @param {string} translation of `html`
   * @param {(characters: string) => string} write text, where nothing that holds it does
   */
  write(translation, write) {
    return written(this.#read(translation), write);
  }

  /**
   * @param {string} translation
   * @returns {Woven}
   */
  #read(translation) {
    /** @type {Woven[]} */
    const levels = [[]];
    let seen = 0;
    let isProtected = false;
    for (const piece of translation.split(TAG)) {
      const [, name, id] = /^<(span|img|code) id="(\d+)">$/.exec(piece) ?? [];
      if (name) {
        /** @type {Woven} */
        const content = [];
        levels.at(-1)?.push({ thing: this.#things[Number(id)], content });
        if (name !== 'img') levels.push(content);
        isProtected = name === 'code';
        seen++;
      } else if (TAG.test(piece)) {
        levels.pop();
        isProtected = false;
      } else if (piece && !isProtected) {
        levels.at(-1)?.push(characters(piece));
      }
    }
    if (levels.length !== 1 || seen !== this.#things.length) throw dataError('The translation of a segment has lost its tags.');
    return levels[0];
  }

  /** @param {string | Pair} what */
  #number(what) {
    return this.#things.push(what) - 1;
  }
}

/**
 * @param {Woven} woven
 * @param {(characters: string) => string} write
 * @returns {string}
 */
function written(woven, write) {
  return woven
    .map((piece) => {
      if (typeof piece === 'string') return write(piece);
      const { thing, content } = piece;
      return typeof thing === 'string' ? thing : thing.open + written(content, thing.write ?? write) + thing.close;
    })
    .join('');
}

/** @param {string} html without tags */
export function characters(html) {
  return decode(html)
    .map((part) => (typeof part === 'string' ? part : part.unknown))
    .join('');
}
