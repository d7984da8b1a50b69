/**
 * Each fetch, cache operation, lock, hash, worker and message of a call, one at a time, fails, hangs or is late: the call is right all
 * the same, or ends with an exception of the API's; the next one is right. DRAGOMAN_EVERY=1 takes every single one, not one of a few.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { HEADERS } from '../../scripts/site/serve.mjs';
import { toRecord } from '../../web/base/errors.js';
import { inEachBrowser } from './support/browsers.mjs';

const EVERY = Number(process.env.DRAGOMAN_EVERY ?? 17);
const TINY = fileURLToPath(new URL('../data/tiny-int8/', import.meta.url));
const FAULTS = fileURLToPath(new URL('fixtures/faults.js', import.meta.url));
// What the API rejects with for reasons of its own; anything else would be a bare error of the browser's.
const ERRORS = ['NetworkError', 'OperationError'];
// And with those when the caller gives it up.
const GIVEN_UP = ['TimeoutError', 'AbortError'];
// ms until then, where nothing else ends the wait; and where something has to, on any machine.
const CALLER_WAITS = 12_000;
const LONGEST = 180_000;
// Of all of them, on a busy machine.
const TIMEOUT = EVERY === 1 ? 4 * 3_600_000 : undefined;

async function tinyManifest() {
  const names = (await readdir(TINY)).filter((name) => name !== 'golden.json');
  const files = await Promise.all(
    names.map(async (name) => {
      const bytes = await readFile(join(TINY, name));
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      return { name, path: `/tiny/${name}`, bytes: (await stat(join(TINY, name))).size, sha256 };
    }),
  );
  return { version: 1, models: [{ sourceLanguage: 'en', targetLanguage: 'de', files }] };
}

test("an exception of a worker's that is the browser's own is told as an OperationError", () => {
  const names = ['NetworkError', 'DataCloneError', 'SecurityError', 'QuotaExceededError'];
  const told = names.map((name) => toRecord(new DOMException('Why.', name)).name);
  assert.deepEqual(told, ['NetworkError', 'OperationError', 'OperationError', 'QuotaExceededError']);
});

/** A browser loses no message between two that live; if it did, the caller's signal would end the wait. */
const isLost = (fault) => fault?.how === 'hang' && (fault.kind === 'post' || fault.kind === 'receive');

inEachBrowser(
  (environment) => {
    let site, page, fault;
    const errors = [];

    before(async () => {
      ({ site } = environment);
      await cp(TINY, join(site.folder, 'tiny'), { recursive: true });
      await writeFile(join(site.folder, 'tiny/manifest.json'), JSON.stringify(await tinyManifest()));
      await cp(FAULTS, join(site.folder, 'faults.js'));
      await writeFile(join(site.folder, 'inert.js'), '');
      for (const name of ['/worker.js', '/worker-threads.js']) {
        const script = await readFile(join(site.folder, name), 'utf8');
        site.rules.set(name, (_, response) => {
          const inWorker = fault?.realm === 'worker' ? encodeURIComponent(JSON.stringify(fault)) : '';
          response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/javascript', 'Cache-Control': 'no-store' });
          response.end(`import './faults.js?fault=${inWorker}';\n${script}`);
        });
      }
      // Without the list of policies, since what is here has one, too.
      const policy = HEADERS['Content-Security-Policy'].replace(/; trusted-types .*/, '');
      site.rules.set('/blank.html', (_, response) => {
        response.writeHead(200, { ...HEADERS, 'Content-Security-Policy': policy, 'Content-Type': 'text/html' });
        response.end('<!doctype html><title>Blank</title><p>Blank.');
      });
      page = await (await environment.browser.newContext()).newPage();
      page.on('pageerror', (error) => errors.push(error.message));
      await page.goto(`${site.url}blank.html`);
      await page.evaluate(async () => {
        window.patience = AbortSignal.timeout.bind(AbortSignal);
        await import('/faults.js');
        window.visited = [];
        new BroadcastChannel('faults').onmessage = ({ data }) => visited.push(data);
        window.call = async (ms) => {
          // A name of its own has the list fetched anew.
          const options = { sourceLanguage: 'en', targetLanguage: 'de', models: `/tiny/manifest.json?${Math.random()}` };
          const signal = patience(ms);
          let translator;
          try {
            const { Translator } = await import('/dragoman.js');
            translator = await Translator.create({ ...options, signal });
            return { text: await translator.translate('A cat.', { signal }) };
          } catch (error) {
            return { name: error.name, message: error.message, exception: error instanceof DOMException };
          } finally {
            translator?.destroy();
          }
        };
        window.clearStore = () => caches.delete('dragoman-models-1');
      });
    });

    /** One call under a fault, or none, and all that it asked of the browser. */
    async function callWith(next, { cold }) {
      fault = next;
      return page.evaluate(
        async ([next, cold, ms]) => {
          if (cold) await clearStore();
          setFault(next?.realm === 'page' ? next : undefined, next?.how === 'hang');
          visited.length = 0;
          const outcome = await call(ms);
          const counted = {};
          for (const { realm, kind, n } of visited)
            counted[`${realm} ${kind}`] = Math.max(counted[`${realm} ${kind}`] ?? 0, n + 1);
          return { ...outcome, counted };
        },
        [next, cold, isLost(next) ? CALLER_WAITS : LONGEST],
      );
    }

    for (const cold of [true, false]) {
      test(`every call of ${cold ? 'a download' : 'a load from the store'} fails, hangs, is late`, async (t) => {
        await callWith(undefined, { cold: true });
        const sound = await callWith(undefined, { cold });
        assert.equal(typeof sound.text, 'string', sound.message);
        t.diagnostic(JSON.stringify(sound.counted));
        const faults = Object.entries(sound.counted).flatMap(([where, count]) => {
          const [realm, kind] = where.split(' ');
          const ways = kind === 'receive' ? ['hang', 'late'] : ['fail', 'hang', 'late'];
          return Array.from({ length: count }, (_, n) => ways.map((how) => ({ realm, kind, n, how }))).flat();
        });
        const chosen = faults.filter((_, index) => index % EVERY === (cold ? 0 : EVERY >> 1));
        const found = [];
        const outcomes = {};
        for (const next of chosen) {
          const name = `${next.realm} ${next.kind} ${next.n} ${next.how}`;
          const begun = Date.now();
          const outcome = await callWith(next, { cold });
          const allowed = isLost(next) ? [...ERRORS, ...GIVEN_UP] : ERRORS;
          const right =
            outcome.text === sound.text || (next.how !== 'late' && outcome.exception && allowed.includes(outcome.name));
          if (!right) found.push(`${name}: ${outcome.text ?? `${outcome.name} ${outcome.message}`}`);
          const after = await callWith(undefined, { cold: false });
          if (after.text !== sound.text) found.push(`after ${name}: ${after.text ?? `${after.name} ${after.message}`}`);
          outcomes[outcome.name ?? 'right'] = (outcomes[outcome.name ?? 'right'] ?? 0) + 1;
          if (process.env.DRAGOMAN_EVERY)
            t.diagnostic(`${name}: ${outcome.name ?? 'right'} ${Date.now() - begun} ms ${outcome.message ?? ''}`);
        }
        t.diagnostic(`${chosen.length} faults: ${JSON.stringify(outcomes)}`);
        assert.deepEqual(found, []);
        assert.deepEqual(errors, [], 'nothing goes unheard');
      });
    }

    test('a line so slow that the engine is long in coming', async () => {
      const wasm = ['/core/dragoman-core.wasm', '/core/dragoman-core-threads.wasm'];
      // Real ones: where waits pass faster, a busy machine has no time for what takes some.
      for (const path of wasm) site.rules.set(path, (_, _response, serveFile) => setTimeout(serveFile, 45_000));
      const outcome = await callWith(undefined, { cold: false });
      for (const path of wasm) site.rules.delete(path);
      assert.equal(typeof outcome.text, 'string', outcome.message);
    });
  },
  {},
  TIMEOUT,
);
