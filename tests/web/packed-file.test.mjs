/** Packed files, in Node: what zlib and the program zstd make comes back, and damage is an exception. Pages: translator-models.test.mjs. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { isPacked, unpack } from '../../web/models/packed-file.js';

const FILE = { name: 'model.bin' };
const model = await readFile(new URL('../data/tiny-marian/model.ende.intgemm.alphas.bin', import.meta.url));

/** @param {Uint8Array} input @param {string[]} options */
function zstd(input, ...options) {
  const { stdout, status } = spawnSync('zstd', ['-q', '-c', ...options], { input, maxBuffer: 1 << 28 });
  assert.equal(status, 0);
  return new Uint8Array(stdout);
}

const unpacked = async (bytes, file = FILE) => Buffer.concat((await unpack(new Uint8Array(bytes), file)).pieces);

const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
const long = Buffer.concat(Array(40).fill(model)); // more than a window and a step
for (const [name, packed, expected] of [
  ['gzip', gzipSync(model), model],
  ['zstd, its size not told', zstd(model, '-3'), model],
  ['zstd, its size told', zstd(model, '-19', `--stream-size=${model.length}`), model],
  ['zstd, with a checksum', zstd(model, '--check'), model],
  ['zstd, many blocks', zstd(long, '-1'), long],
  ['zstd, two frames and one to skip', Buffer.concat([zstd(model), skippable, zstd(model)]), Buffer.concat([model, model])],
  ['zstd, nothing', zstd(new Uint8Array()), Buffer.alloc(0)],
]) {
  test(`${name}: the same bytes`, async () => {
    assert.ok(isPacked(packed));
    assert.ok((await unpacked(packed)).equals(expected));
    assert.ok((await unpacked(packed, { ...FILE, unpackedBytes: expected.length || undefined })).equals(expected));
  });
}

test('no file of a model that is as it is counts as packed', async () => {
  for (const name of [
    'tiny-int8/config.json',
    'tiny-int8/model.safetensors',
    'tiny-ssru/source.spm',
    'tiny-marian/lex.ende.s2t.bin',
  ])
    assert.ok(!isPacked(await readFile(new URL(`../data/${name}`, import.meta.url))), name);
  assert.ok(!isPacked(model));
});

test('a file that is cut off, or has more behind it, is refused', async () => {
  for (const packed of [gzipSync(model), zstd(model), zstd(long, '-1')]) {
    for (let length = 4; length < packed.length; length += 1 + (packed.length >> 6))
      await assert.rejects(unpacked(packed.subarray(0, length)), { name: 'OperationError', message: /model\.bin/ }, `${length}`);
    await assert.rejects(unpacked(Buffer.concat([packed, Buffer.alloc(100, 7)])), { name: 'OperationError' });
  }
});

test('a byte that is another: an exception or other bytes, never more than there may be', async () => {
  const packed = zstd(model, '-19');
  for (let i = 4; i < packed.length; i += 1 + (packed.length >> 6)) {
    const damaged = Uint8Array.from(packed, (byte, at) => (at === i ? byte ^ 0x55 : byte));
    const end = await unpacked(damaged, { ...FILE, unpackedBytes: model.length }).catch((error) => error);
    assert.ok(end.name === 'OperationError' || end.length === model.length, `${i}: ${end}`);
  }
});

test('a small file that unpacks to very much is refused as soon as there is more than there may be', async () => {
  const block = Buffer.from([0x02, 0x00, 0x10, 0]); // 128 KB of the byte 0
  const bomb = Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x58]), ...Array(100_000).fill(block)]); // 13 GB
  const limit = { ...FILE, unpackedBytes: 1 << 20 };
  for (const packed of [bomb, gzipSync(Buffer.alloc(1 << 24))])
    await assert.rejects(unpacked(packed, limit), ({ name, cause }) => name === 'OperationError' && cause instanceof RangeError);
});
