import { PATIENCE_MS } from '../base/abort.js';
import { exception } from '../base/errors.js';
import { canonicalTag } from '../base/language-tag.js';
import { fetchResource } from '../base/resource.js';

/**
 * A manifest says which directions exist, which files each is made of, and how to know that a file is right.
 *
 * @typedef {object} ModelFile
 * @property {string} name one of those of the model's format
 * @property {string} url absolute
 * @property {number} bytes
 * @property {string} sha256 lower-case hex
 * @property {number} [unpackedBytes] of what a packed file holds, if it is known
 *
 * @typedef {object} Model
 * @property {string} sourceLanguage canonical BCP 47 tag
 * @property {string} targetLanguage canonical BCP 47 tag
 * @property {Format} format
 * @property {ModelFile[]} files
 * @property {number} bytes of all files together
 * @property {string} id the same for the same content, wherever it comes from
 *
 * @typedef {object} ManifestSource the JSON form: `path` is relative to the manifest
 * @property {1} version
 * @property {{sourceLanguage: string, targetLanguage: string, format?: Format,
 *   files: {name: string, path: string, bytes: number, sha256: string, unpackedBytes?: number}[]}[]} models
 */

/**
 * The files of each format, of which a model has all of one list; `bergamot`: Marian's, as Bergamot and Firefox have them,
 * each of them packed or not.
 * @typedef {'dragoman' | 'bergamot'} Format
 * @type {Record<Format, string[][]>}
 */
const FILE_NAMES = {
  dragoman: [
    ['config.json', 'model.safetensors', 'vocab.spm'],
    ['config.json', 'model.safetensors', 'source.spm', 'target.spm'],
  ],
  bergamot: [
    ['model.bin', 'vocab.spm'],
    ['model.bin', 'source.spm', 'target.spm'],
  ],
};
/** @type {Record<Format, string[]>} */
const OPTIONAL = { dragoman: [], bergamot: ['lex.bin'] };

/**
 * @param {ManifestSource} json
 * @param {string} base URL that the paths are relative to
 * @returns {Model[]}
 * @throws {TypeError} naming the first thing that is wrong
 */
export function parseManifest(json, base) {
  if (json?.version !== 1 || !Array.isArray(json.models)) {
    throw new TypeError('A Dragoman manifest is an object with "version": 1 and a list "models".');
  }
  return json.models.map((entry) => {
    for (const name of /** @type {const} */ (['sourceLanguage', 'targetLanguage'])) {
      if (typeof entry?.[name] !== 'string') throw new TypeError(`The manifest has a model without a ${name}.`);
    }
    const model = { sourceLanguage: languageOf(entry.sourceLanguage), targetLanguage: languageOf(entry.targetLanguage) };
    const direction = `${model.sourceLanguage}-${model.targetLanguage}`;
    const format = entry.format ?? 'dragoman';
    if (!Object.hasOwn(FILE_NAMES, format)) {
      throw new TypeError(`The manifest has ${direction} in the format "${format}", which is not known.`);
    }
    if (!Array.isArray(entry.files)) throw new TypeError(`The manifest lists no files for ${direction}.`);
    const find = (/** @type {string} */ name) => entry.files.find((candidate) => candidate?.name === name);
    const names = FILE_NAMES[format].find((list) => list.every(find)) ?? FILE_NAMES[format][0];
    const files = [...names, ...OPTIONAL[format].filter(find)].map((name) => {
      const file = find(name);
      if (!file) throw new TypeError(`The manifest lists no ${name} for ${direction}.`);
      if (typeof file.path !== 'string') throw new TypeError(`The manifest gives no path for ${direction}/${name}.`);
      if (!Number.isSafeInteger(file.bytes) || file.bytes <= 0) {
        throw new TypeError(`The manifest gives no size for ${direction}/${name}.`);
      }
      if (typeof file.sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(file.sha256)) {
        throw new TypeError(`The manifest gives no SHA-256 for ${direction}/${name}.`);
      }
      const { bytes, sha256, unpackedBytes } = file;
      if (unpackedBytes !== undefined && (!Number.isSafeInteger(unpackedBytes) || unpackedBytes <= 0)) {
        throw new TypeError(`The manifest gives a wrong unpacked size for ${direction}/${name}.`);
      }
      return { name, url: new URL(file.path, base).href, bytes, sha256, ...(unpackedBytes && { unpackedBytes }) };
    });
    return {
      ...model,
      format,
      files: /** @type {ModelFile[]} */ (files),
      bytes: files.reduce((sum, file) => sum + file.bytes, 0),
      id: files.map((file) => file.sha256.slice(0, 16)).join('-'),
    };
  });
}

/** @param {string} tag */
function languageOf(tag) {
  try {
    return canonicalTag(tag);
  } catch (cause) {
    throw new TypeError(`The manifest has a model of "${tag}", which is no language tag.`, { cause });
  }
}

/**
 * @param {string | URL} url
 * @returns {Promise<Model[]>}
 */
export async function fetchManifest(url) {
  const { href } = new URL(url, globalThis.document?.baseURI ?? import.meta.url);
  let response;
  try {
    response = await lastKnown(href);
  } catch (cause) {
    throw exception('NetworkError', `The list of models could not be fetched from ${href}.`, cause);
  }
  if (!response.ok) {
    throw exception('NetworkError', `The list of models at ${href} answered ${response.status}.`);
  }
  try {
    return parseManifest(await response.json(), href);
  } catch (cause) {
    const why = /** @type {Error} */ (cause).message;
    throw exception('NetworkError', `What ${href} sent is not a list of models: ${why}`, cause);
  }
}

/**
 * As it is on the server now; without a network, as the browser's HTTP cache has it, since stored models work all the same.
 * @param {string} href
 */
function lastKnown(href) {
  const fetched = (/** @type {RequestCache} */ cache) => fetchResource(href, { cache, signal: AbortSignal.timeout(PATIENCE_MS) });
  return fetched('no-cache').catch(() => fetched('force-cache'));
}
