// What loading costs: a model's bytes go from the network to where they are used, and the engine compiles on the way.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { loadModel } from '../../web/models/loader.js';
import { inEachBrowser } from './support/browsers.mjs';

const BYTES = 64 << 20;
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

test('a model is never held three times while it is loaded', async (t) => {
  const content = Buffer.alloc(1 << 20, 'model');
  const hash = createHash('sha256');
  for (let sent = 0; sent < BYTES; sent += content.length) hash.update(content);
  const server = createServer(async (request, response) => {
    response.writeHead(200, { 'Content-Length': BYTES });
    for (let sent = 0; sent < BYTES; sent += content.length) if (!response.write(content)) await once(response, 'drain');
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const url = `http://127.0.0.1:${server.address().port}/model.safetensors`;
  const file = { name: 'model.safetensors', url, bytes: BYTES, sha256: hash.digest('hex') };

  const memory = new WebAssembly.Memory({ initial: BYTES / 65536 });
  const held = () => process.memoryUsage().arrayBuffers;
  collect();
  const before = held();
  let beside = 0;
  const sample = () => (beside = Math.max(beside, held() - before));
  const sampler = setInterval(sample, 1);
  const buffer = { view: () => new Uint8Array(memory.buffer), delete: () => {} };
  // What nobody holds is not to count, however late it would be collected: not on a busy machine, either.
  let collected = 0;
  const onLoaded = (loaded) => {
    if (loaded < collected + (4 << 20)) return;
    collected = loaded;
    collect();
    sample();
  };
  await loadModel({ id: 'test', files: [file], bytes: BYTES }, { [file.name]: buffer }, onLoaded);
  clearInterval(sampler);
  t.diagnostic(`beside the wasm memory: at most ${beside >> 20} MB, of ${BYTES >> 20}`);
  // A few pieces, and the copy that the hash makes: less than two more of the whole.
  assert.ok(beside < 1.5 * BYTES);
});

inEachBrowser((environment) => {
  test('the engine is compiled while it is being downloaded', async () => {
    const page = await environment.browser.newPage();
    await page.goto(`${environment.site.url}blank.html`);
    const [streamed, whole] = await page.evaluate(async () => {
      const calls = { instantiateStreaming: 0, instantiate: 0 };
      for (const name of Object.keys(calls)) {
        const original = WebAssembly[name];
        WebAssembly[name] = (...rest) => {
          calls[name]++;
          return original(...rest);
        };
      }
      const [{ default: createModule }, { loadCore }] = await Promise.all([
        import('./core/dragoman-core.mjs'),
        import('./engine/core.js'),
      ]);
      const url = (name) => new URL(`core/${name}.wasm`, location.href);
      await loadCore(createModule, { core: { url: url('dragoman-core') }, kernels: { url: url('dragoman-relaxed') } });
      return Object.values(calls);
    });
    await page.close();
    assert.deepEqual([streamed, whole], [1, 0]);
  });
});
