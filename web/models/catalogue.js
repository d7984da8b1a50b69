import { matchTag } from '../base/language-tag.js';
import { fetchManifest, parseManifest } from './manifest.js';

/**
 * Every direction that can be had, from every manifest that is known, and the way from one language to another.
 * @typedef {import('./manifest.js').Model} Model
 * @typedef {import('./manifest.js').ManifestSource} ManifestSource
 */

// The direction that is missing is made of two that meet here: most training data has English on one side.
const PIVOT = 'en';

export class Catalogue {
  #defaultSource;
  /** Manifests by URL, so that one page fetches each once. @type {Map<string, Promise<Model[]>>} */
  #fetched = new Map();
  /** @type {Model[]} */
  #registered = [];

  /** @param {string | URL | ManifestSource} defaultSource used when a call names no manifest */
  constructor(defaultSource) {
    this.#defaultSource = defaultSource;
  }

  /**
   * Makes further models known to every later call. They win over models of the same direction that were known before.
   * @param {ManifestSource} manifest
   */
  register(manifest) {
    this.#registered = [...parseManifest(manifest, baseUrl()), ...this.#registered];
  }

  /**
   * @param {string | URL | ManifestSource} [source]
   * @returns {Promise<Model[]>} later entries never shadow earlier ones of the same direction
   */
  async models(source) {
    if (source !== undefined) return this.#read(source);
    return [...this.#registered, ...(await this.#read(this.#defaultSource))];
  }

  /**
   * Has the next call read a list again.
   * @param {string | URL | ManifestSource} [source]
   */
  forget(source = this.#defaultSource) {
    this.#fetched.delete(String(source));
  }

  /**
   * @param {string} from canonical tag
   * @param {string} to canonical tag
   * @param {string | URL | ManifestSource} [source]
   * @returns {Promise<Model[]>} one model, two through English, or none
   */
  async route(from, to, source) {
    const models = await this.models(source);
    const direct = pick(models, from, to);
    if (direct) return [direct];
    const first = pick(models, from, PIVOT);
    const second = pick(models, PIVOT, to);
    // There and back again is not a translation: de to de through English would only spoil the text.
    const circular = first?.sourceLanguage === second?.targetLanguage;
    return first && second && !circular ? [first, second] : [];
  }

  /**
   * @param {string | URL | ManifestSource} source
   * @returns {Promise<Model[]>}
   */
  async #read(source) {
    if (typeof source === 'object' && !(source instanceof URL)) return parseManifest(source, baseUrl());
    const url = String(source);
    const known = this.#fetched.get(url);
    if (known) return known;
    const fetching = fetchManifest(url);
    this.#fetched.set(url, fetching);
    // A failure is not remembered: the next call tries again.
    fetching.catch(() => this.#fetched.delete(url));
    return fetching;
  }
}

/**
 * @param {Model[]} models
 * @param {string} from
 * @param {string} to
 */
function pick(models, from, to) {
  const source = matchTag(
    models.map((model) => model.sourceLanguage),
    from,
  );
  const fromSource = models.filter((model) => model.sourceLanguage === source);
  const target = matchTag(
    fromSource.map((model) => model.targetLanguage),
    to,
  );
  return fromSource.find((model) => model.targetLanguage === target);
}

function baseUrl() {
  return globalThis.document?.baseURI ?? import.meta.url;
}
