// The engine on several threads, where the page is cross-origin isolated: the same translations as on one, and one thread
// wherever something stands in the way of more. Firefox has its reasons (web/engine/worker-host.js) for one in any case.
import assert from 'node:assert/strict';
import { afterEach, before, beforeEach, test } from 'node:test';
import { HEADERS } from '../../scripts/site/serve.mjs';
import { inEachBrowser } from './support/browsers.mjs';
import { layModel, modelFiles } from './support/own-model.mjs';
import { until } from './support/patience.mjs';
import { openSite } from './support/site.mjs';

const TEXT = Array.from(
  { length: 30 },
  (_, i) =>
    `Garden number ${i} is large. My brother, who lives in Berlin, bought ${i} new bicycles yesterday. Where is the station?`,
).join('\n');
const SINGLE = '/core/dragoman-core.wasm';
const THREADED = '/core/dragoman-core-threads.wasm';
const HELPER = '/core/dragoman-core-threads.worker.js';

inEachBrowser((environment) => {
  let site, context, expected;

  before(async () => {
    ({ site } = environment);
    const { 'Cross-Origin-Opener-Policy': _, 'Cross-Origin-Embedder-Policy': __, ...headers } = HEADERS;
    const plain = await openSite({ headers });
    context = await environment.browser.newContext();
    ({ text: expected } = await translate(plain));
    assert.ok(
      plain.requests.includes(SINGLE) && !plain.requests.some((path) => /threads/.test(path)),
      'not isolated: one thread',
    );
    await context.close();
    await plain.close();
  });

  beforeEach(async () => {
    site.rules.clear();
    site.requests.length = 0;
    context = await environment.browser.newContext();
  });

  afterEach(() => context.close());

  async function translate({ url }) {
    const page = await context.newPage();
    await page.goto(`${url}blank.html`);
    return page.evaluate(async (text) => {
      const { Translator } = await import('/dragoman.js');
      const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de' });
      // Twice: the helpers may come too late for the first.
      const first = await translator.translate(text);
      const second = await translator.translate(text);
      return { text: second, same: first === second, cores: navigator.hardwareConcurrency };
    }, TEXT);
  }

  test('isolated: several threads, the same translations', async (t) => {
    const { text, same, cores } = await translate(site);
    if (cores < 2) return t.skip('this machine has one core');
    assert.ok(same);
    assert.equal(text, expected);
    const threaded = environment.browserName !== 'Firefox';
    if (threaded) await until(() => site.requests.includes(HELPER));
    assert.equal(site.requests.includes(THREADED), threaded);
    assert.equal(site.requests.includes(HELPER), threaded);
    assert.equal(site.requests.includes(SINGLE), !threaded);
  });

  // Hashes are right: it is the core that has to see it, and its handlers of exceptions that have to match.
  test('damaged models: each an exception that says what is wrong, on several threads, too', async () => {
    const files = await modelFiles('tiny-int8', ['config.json', 'model.safetensors', 'vocab.spm']);
    const emptyPiece = Buffer.from(files['vocab.spm']);
    emptyPiece[emptyPiece.indexOf('\x03auf') + 1] = 0; // SentencePiece's trie throws an exception of its own
    const damages = [
      [{ 'config.json': Buffer.from('no JSON') }, 'bad-config'],
      [{ 'config.json': files['config.json'].subarray(0, 100) }, 'bad-config'],
      [{ 'vocab.spm': Buffer.alloc(1000, 'damaged') }, 'bad-vocabulary'],
      [{ 'vocab.spm': emptyPiece }, 'bad-vocabulary'],
      [{ 'model.safetensors': Buffer.alloc(1000) }, 'bad-model'],
      [{}, undefined],
    ];
    const models = await Promise.all(
      damages.map(async ([damage], i) => ({
        sourceLanguage: 'en',
        targetLanguage: 'de',
        files: await layModel(site, `damaged-${i}`, { ...files, ...damage }),
      })),
    );
    const page = await context.newPage();
    await page.goto(`${site.url}blank.html`);
    const outcomes = await page.evaluate(async (models) => {
      const { Translator } = await import('/dragoman.js');
      const outcomes = [];
      for (const model of models) {
        const creating = Translator.create({ ...model, models: { version: 1, models: [model] } });
        outcomes.push(
          await creating.then(
            (translator) => translator.destroy(),
            (error) => [error.name, error.cause?.code, error.message],
          ),
        );
      }
      return outcomes;
    }, models);
    for (const [i, [, code]] of damages.entries())
      assert.deepEqual(outcomes[i]?.slice(0, 2), code && ['OperationError', code], String(outcomes[i]));
    assert.match(outcomes[3][2], /vocab\.spm.*zero-length key/);
    const cores = await page.evaluate(() => navigator.hardwareConcurrency);
    assert.equal(site.requests.includes(THREADED), cores > 1 && environment.browserName !== 'Firefox');
  });

  test('helpers that cannot start are done without', async () => {
    site.rules.set(HELPER, (request, response) => response.writeHead(404).end());
    const { text } = await translate(site);
    assert.equal(text, expected);
  });

  test('shared memory that is refused: one thread', async (t) => {
    site.rules.set('/core/dragoman-core-threads.mjs', (request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/javascript' });
      response.end("export default async () => { throw new RangeError('WebAssembly.Memory(): could not allocate memory'); };");
    });
    const { text, cores } = await translate(site);
    if (cores < 2) return t.skip('this machine has one core');
    assert.equal(text, expected);
    assert.ok(site.requests.includes(SINGLE));
  });
});
