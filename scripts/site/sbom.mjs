/**
 * The package's software bill of materials (CycloneDX 1.5): what is in it, and what has made it (scope "excluded"). The same
 * build gives the same bytes: no date, no random number.
 *
 * @typedef {import('../../web/models/manifest.js').ManifestSource} ManifestSource
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Of Debian, compiled into the wasm modules: all but the last, which compiles them, and whose libraries come along. */
const DEBIAN = {
  'libeigen3-dev': 'MPL-2.0',
  'nlohmann-json3-dev': 'MIT',
  'libxxhash-dev': 'BSD-2-Clause',
  emscripten: 'MIT OR NCSA',
};
/** What SentencePiece's sources bring along, and Emscripten's. */
const WITHIN = {
  sentencepiece: { 'protobuf-lite': 'BSD-3-Clause', 'darts-clone': 'BSD-2-Clause', 'abseil-cpp': 'Apache-2.0' },
  emscripten: { musl: 'MIT', 'libc++': 'Apache-2.0 WITH LLVM-exception', 'compiler-rt': 'Apache-2.0 WITH LLVM-exception' },
};
/** Of npm, what makes the package. */
const TOOLS = ['esbuild', 'typescript'];

/** @param {string} expression SPDX */
const licensed = (expression) => ({ licenses: [{ expression }] });

/** @param {keyof typeof WITHIN} name */
function within(name) {
  return {
    components: Object.entries(WITHIN[name]).map(([part, license]) => ({ type: 'library', name: part, ...licensed(license) })),
  };
}

/**
 * @param {string} root
 * @param {string[]} libraries that are in the package
 */
async function npmComponents(root, libraries) {
  const { packages } = JSON.parse(await readFile(`${root}package-lock.json`, 'utf8'));
  return [...libraries, ...TOOLS].map((name) => {
    const { version, license, integrity } = packages[`node_modules/${name}`];
    const [algorithm, digest] = integrity.split('-');
    return {
      type: 'library',
      name,
      version,
      scope: TOOLS.includes(name) ? 'excluded' : 'required',
      purl: `pkg:npm/${name}@${version}`,
      ...licensed(license),
      hashes: [{ alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') }],
    };
  });
}

async function debianComponents() {
  return Promise.all(
    Object.entries(DEBIAN).map(async ([name, license]) => {
      const { stdout: version } = await run('dpkg-query', ['-W', '-f', '$' + '{Version}', name]);
      const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}`;
      return { type: 'library', name, version, purl, ...licensed(license), ...(name === 'emscripten' ? within(name) : {}) };
    }),
  );
}

/** @param {string} root */
async function sentencePiece(root) {
  const build = await readFile(`${root}CMakeLists.txt`, 'utf8');
  const [, version] = /sentencepiece_([\d.]+)\.orig/.exec(build) ?? [];
  const [, content] = /URL_HASH SHA256=(\w+)/.exec(build) ?? [];
  const hashes = [{ alg: 'SHA-256', content }];
  const purl = `pkg:github/google/sentencepiece@v${version}`;
  return { type: 'library', name: 'sentencepiece', version, purl, ...licensed('Apache-2.0'), hashes, ...within('sentencepiece') };
}

/** @param {ManifestSource} manifest */
function models({ models }) {
  return models.map(({ sourceLanguage, targetLanguage, files }) => ({
    type: 'machine-learning-model',
    name: `${sourceLanguage}-${targetLanguage}`,
    components: files.map(({ name, sha256 }) => ({ type: 'file', name, hashes: [{ alg: 'SHA-256', content: sha256 }] })),
  }));
}

/**
 * @param {string} root of the repository, with a slash at its end
 * @param {{name: string, version: string}} of the package
 * @param {ManifestSource} manifest of the models that it holds
 * @param {string[]} libraries of npm that are in it
 */
export async function billOfMaterials(root, { name, version }, manifest, libraries) {
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { type: 'library', name, version, purl: `pkg:npm/${name}@${version}`, ...licensed('MIT') } },
    components: [
      ...(await npmComponents(root, libraries)),
      await sentencePiece(root),
      ...(await debianComponents()),
      ...models(manifest),
    ],
  };
}
