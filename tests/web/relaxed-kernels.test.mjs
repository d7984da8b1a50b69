// The int8 kernels on relaxed SIMD, which exist in browsers only: equal to their definition and to the plain one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inEachBrowser } from './support/browsers.mjs';

inEachBrowser((environment) => {
  test('the relaxed kernels give the integers of their definition, for all remainders', async (t) => {
    const page = await environment.browser.newPage();
    await page.goto(`${environment.site.url}blank.html`);
    const result = await page.evaluate(async () => {
      const { fetchRelaxedKernels } = await import('./engine/relaxed-kernels.js');
      const module = await fetchRelaxedKernels('./core/dragoman-relaxed.wasm');
      if (!module) return 'unsupported';
      const memory = new WebAssembly.Memory({ initial: 4 });
      const { exports } = (await WebAssembly.instantiate(module, { env: { memory } })).instance;
      const a = new Uint8Array(memory.buffer, 1, 40000);
      const w = new Int8Array(memory.buffer, 65537, 120000); // off by one: nothing is aligned
      const acc = new Int32Array(memory.buffer, 196608, 4096);
      let seed = 1;
      const random = () => (seed = (seed * 48271) % 2147483647);
      for (let i = 0; i < a.length; i++) a[i] = i % 7 ? random() % 128 : 127;
      for (let i = 0; i < w.length; i++) w[i] = i % 5 ? random() : -128;
      let compared = 0;
      for (const rows of [1, 2, 3, 4, 5, 6, 7, 9]) {
        for (const groups of [1, 2, 3, 4, 5, 7, 8, 9, 16]) {
          for (const stride of [4, 8, 12, 64, 100]) {
            const expected = [];
            for (let r = 0; r < rows; r++) {
              for (let n = 0; n < groups * 4; n++) {
                let sum = 0;
                for (let k = 0; k < stride; k++) {
                  sum += a[r * stride + k] * w[(n >> 2) * stride * 4 + (k >> 2) * 16 + (n & 3) * 4 + (k & 3)];
                }
                expected.push(sum);
              }
            }
            for (const name of ['accumulate_int8_dot', 'accumulate_int8_pairs']) {
              acc.fill(-1);
              exports[name](a.byteOffset, w.byteOffset, acc.byteOffset, rows, groups, stride);
              const wrong = expected.findIndex((sum, i) => acc[i] !== sum);
              if (wrong >= 0) return `${name}: rows ${rows} groups ${groups} stride ${stride} differ at ${wrong}`;
            }
            compared += expected.length;
          }
        }
      }
      return compared;
    });
    await page.close();
    if (result === 'unsupported') t.diagnostic(`${environment.browserName} has no relaxed SIMD`);
    else assert.equal(typeof result, 'number', result);
  });

  test('translations are the same with either kernel', async () => {
    const page = await environment.browser.newPage();
    await page.goto(`${environment.site.url}blank.html`);
    const [plain, chosen] = await page.evaluate(async () => {
      const { default: createModule } = await import('./core/dragoman-core.mjs');
      const { fetchRelaxedKernels, useRelaxedKernels } = await import('./engine/relaxed-kernels.js');
      const bytes = async (path) => new Uint8Array(await (await fetch(path)).arrayBuffer());
      const wasm = await WebAssembly.compile(await bytes('core/dragoman-core.wasm'));
      const text = 'The children are playing in the garden. My computer is broken.\nHe did not know what to say, did he?';
      const outputs = [];
      for (const relaxed of [false, true]) {
        const core = await createModule({
          instantiateWasm: (imports, ready) => {
            WebAssembly.instantiate(wasm, imports).then((instance) => ready(instance, wasm));
            return {};
          },
        });
        useRelaxedKernels(core, relaxed ? await fetchRelaxedKernels('./core/dragoman-relaxed.wasm') : undefined);
        const buffers = [];
        for (const name of ['model.safetensors', 'vocab.spm']) {
          const content = await bytes(`weights/en-de/${name}`);
          const buffer = new core.Buffer(content.length);
          buffer.view().set(content);
          buffers.push(buffer);
        }
        const config = new TextDecoder().decode(await bytes('weights/en-de/config.json'));
        const engine = new core.Engine(config, buffers[0], buffers[1], null, null, 1);
        const translation = engine.start(new TextEncoder().encode(text), core.defaultOptions());
        while (engine.step());
        outputs.push(translation.takeText());
      }
      return outputs;
    });
    await page.close();
    assert.ok(plain.length > 50);
    assert.equal(chosen, plain);
  });
});
