/**
 * Firefox's translation models, as Mozilla's Remote Settings lists them: a record a file. Newer lists (translations-models-v2, of
 * files of Zstandard) have other names for the languages, and may have several architectures of a direction.
 *
 * @typedef {object} RemoteRecord
 * @property {string} name
 * @property {string} [fromLang] BCP 47 tag
 * @property {string} [toLang] BCP 47 tag
 * @property {string} [sourceLanguage] in place of fromLang
 * @property {string} [targetLanguage] in place of toLang
 * @property {string} [architecture] such as "tiny" or "base-memory"
 * @property {string} fileType
 * @property {string} version such as "1.0" or "2.1"
 * @property {{location: string, hash: string, size: number, filename?: string}} attachment
 * @property {number} [decompressedSize]
 *
 * @typedef {import('./manifest.js').ManifestSource} ManifestSource
 */

/** Our names of the files; a record of another type (what estimates quality) is not needed. @type {Record<string, string>} */
const NAMES = { model: 'model.bin', lex: 'lex.bin', vocab: 'vocab.spm', srcvocab: 'source.spm', trgvocab: 'target.spm' };

/**
 * A manifest of the directions in the list, each in its newest version that is complete; of architectures, the first.
 * @param {RemoteRecord[]} records
 * @param {string | URL} base address that the attachments' locations are relative to
 * @returns {ManifestSource}
 */
export function remoteSettingsManifest(records, base) {
  /** Files by name, of each direction, version and architecture. @type {Map<string, Map<string, Map<string, RemoteRecord>>>} */
  const directions = new Map();
  for (const record of records) {
    if (!Object.hasOwn(NAMES, record.fileType)) continue;
    const { fromLang, toLang, sourceLanguage = fromLang, targetLanguage = toLang, version, architecture } = record;
    const versions = entry(directions, `${sourceLanguage} ${targetLanguage}`, () => new Map());
    entry(versions, `${version}\n${architecture}`, () => new Map()).set(NAMES[record.fileType], record);
  }
  /** @type {ManifestSource['models']} */
  const models = [];
  for (const [direction, versions] of directions) {
    const [sourceLanguage, targetLanguage] = direction.split(' ');
    const newest = [...versions].sort(([a], [b]) => compareVersions(b, a)).find(([, files]) => isComplete(files));
    if (!newest) continue;
    const files = [...newest[1]].map(([name, { attachment, decompressedSize }]) => ({
      name,
      path: new URL(attachment.location, base).href,
      bytes: attachment.size,
      sha256: attachment.hash,
      ...(decompressedSize !== undefined && { unpackedBytes: decompressedSize }),
    }));
    models.push({ sourceLanguage, targetLanguage, format: 'bergamot', files });
  }
  return { version: 1, models };
}

/** @param {Map<string, RemoteRecord>} files */
function isComplete(files) {
  return files.has('model.bin') && (files.has('vocab.spm') || (files.has('source.spm') && files.has('target.spm')));
}

/**
 * @template V
 * @param {Map<string, V>} map
 * @param {string} key
 * @param {() => V} make
 * @returns {V}
 */
function entry(map, key, make) {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

/**
 * By the numbers of their first lines; an unfinished version ("1.0a1") comes before the finished one.
 * @param {string} a
 * @param {string} b
 */
function compareVersions(a, b) {
  const parse = (/** @type {string} */ version) => {
    const [, numbers, suffix] = /^([\d.]*)(.*)/.exec(version) ?? ['', '', ''];
    return { numbers: numbers.split('.').map(Number), suffix };
  };
  const x = parse(a);
  const y = parse(b);
  for (let i = 0; i < Math.max(x.numbers.length, y.numbers.length); i++) {
    const difference = (x.numbers[i] ?? 0) - (y.numbers[i] ?? 0);
    if (difference !== 0) return difference;
  }
  if (!x.suffix || !y.suffix) return Number(!x.suffix) - Number(!y.suffix);
  return x.suffix.localeCompare(y.suffix, 'en', { numeric: true });
}
