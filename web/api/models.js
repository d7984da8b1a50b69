import { canonicalTag } from '../base/language-tag.js';
import { routeAvailability } from '../models/availability.js';
import { Catalogue } from '../models/catalogue.js';
import { defaultModels } from '../models/default-models.js';
import { remoteSettingsManifest } from '../models/remote-settings.js';
import { ModelStore } from '../models/store.js';

/** @typedef {{sourceLanguage: string, targetLanguage: string}} Direction */

/** The directions every translator of this page chooses from. */
export const catalogue = new Catalogue(defaultModels);

/**
 * The models there are, and those kept on this machine. No part of the standard: browsers manage their own models, a page
 * that brings its models along must be able to.
 */
const models = {
  /**
   * @returns {Promise<{sourceLanguage: string, targetLanguage: string, bytes: number,
   *   availability: import('../models/availability.js').Availability}[]>}
   * @example
   * for (const { sourceLanguage, targetLanguage, bytes, availability } of await Dragoman.models.list()) {
   *   console.log(`${sourceLanguage} to ${targetLanguage}: ${bytes} bytes, ${availability}`);
   * }
   */
  async list() {
    const known = await catalogue.models();
    const listed = await Promise.all(
      known.map(async (model) => ({ ...summary(model), availability: await routeAvailability([model]) })),
    );
    // What was stored under an earlier manifest still takes room, so it must be possible to see and delete it.
    const stored = await new ModelStore().list();
    const forgotten = stored.filter((record) => !known.some((model) => sameDirection(model, record)));
    return [...listed, ...forgotten.map((record) => ({ ...summary(record), availability: /** @type {const} */ ('available') }))];
  },

  /**
   * Frees the room a model takes. Translators that are in use go on; the next `create()` downloads again.
   * @param {Direction} direction
   * @returns {Promise<boolean>} whether it was stored
   * @example
   * await Dragoman.models.delete({ sourceLanguage: 'en', targetLanguage: 'de' });
   */
  async delete({ sourceLanguage, targetLanguage }) {
    return new ModelStore().delete({
      sourceLanguage: canonicalTag(sourceLanguage),
      targetLanguage: canonicalTag(targetLanguage),
    });
  },
};

/** What the specification has no place for. */
export const Dragoman = Object.freeze({
  models,

  /**
   * Makes models of your own known to every later `Translator.create()` and `availability()`.
   * @param {import('../models/manifest.js').ManifestSource} manifest paths in it are relative to the page
   * @example
   * Dragoman.registerModel(await (await fetch('/my-models/manifest.json')).json());
   */
  registerModel(manifest) {
    catalogue.register(manifest);
  },

  /**
   * A manifest of Firefox's translation models, for registerModel, of the records that Mozilla's Remote Settings publishes.
   * @param {import('../models/remote-settings.js').RemoteRecord[]} records
   * @param {string | URL} base address that the attachments' locations are relative to
   * @example
   * const { data } = await (await fetch(recordsUrl)).json();
   * Dragoman.registerModel(Dragoman.remoteSettingsManifest(data, attachmentsUrl));
   */
  remoteSettingsManifest(records, base) {
    return remoteSettingsManifest(records, base);
  },
});

/** @param {Direction & {bytes: number}} model */
function summary({ sourceLanguage, targetLanguage, bytes }) {
  return { sourceLanguage, targetLanguage, bytes };
}

/**
 * @param {Direction} a
 * @param {Direction} b
 */
function sameDirection(a, b) {
  return a.sourceLanguage === b.sourceLanguage && a.targetLanguage === b.targetLanguage;
}
