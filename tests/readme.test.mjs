// The README's commands, run as they stand there: what they print must be what it says ("..." stands for anything).
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** Commands behind "$ " in console blocks, each with the lines that follow it. */
function commands() {
  const found = [];
  for (const [, block] of readme.matchAll(/```console\n(.*?)```/gs)) {
    for (const line of block.trimEnd().split('\n')) {
      if (line.startsWith('$ ')) found.push({ command: line.slice(2), expected: [] });
      else found.at(-1).expected.push(line);
    }
  }
  return found;
}

function pattern(lines) {
  const escaped = lines.join('\n').replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('\\.\\.\\.', '[^]*')}\\n?$`);
}

const all = commands();

test('the README has its commands', () => assert.ok(all.length >= 8));

for (const { command, expected } of all) {
  if (command === 'scripts/test') continue; // runs this
  test(command, async () => {
    if (command.startsWith('scripts/demo --port')) return serves(command, expected);
    const { status, stdout, stderr } = spawnSync('bash', ['-c', command], { cwd: root, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    if (expected.length > 0) assert.match(command.startsWith('scripts/demo') ? stderr + stdout : stdout, pattern(expected));
  });
}

async function serves(command, expected) {
  // One that is free.
  const server = spawn('bash', ['-c', `exec ${command.replace('8080', '0')}`], { cwd: root });
  try {
    let output = '';
    for await (const chunk of server.stdout) if ((output += chunk).includes('\n')) break;
    const [, port] = /127\.0\.0\.1:(\d+)/.exec(output) ?? [];
    assert.equal(output, `${expected.join('\n').replace('8080', port)}\n`);
    const page = await fetch(`http://127.0.0.1:${port}/`);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /<title>Dragoman/);
  } finally {
    server.kill();
  }
}

/** What GitHub calls the sections of a page in addresses. */
function anchors(page) {
  const headings = page.match(/^#+ .+$/gm).map((line) => line.replace(/^#+ /, ''));
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
}

for (const name of ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'tests/README.md']) {
  const page = readFileSync(join(root, name), 'utf8');

  test(`every file and section that ${name} links to is there`, () => {
    for (const [, path, section] of page.matchAll(/\]\((?!https?:)([^)#]+)(?:#([^)]+))?\)/g)) {
      const linked = join(root, dirname(name), path);
      assert.ok(existsSync(linked), path);
      if (section) assert.ok(anchors(readFileSync(linked, 'utf8')).includes(section), section);
    }
  });

  test(`every file of the repository that ${name} names is there`, () => {
    for (const [, path] of page.matchAll(/`((?:src|web|scripts|tests|weights)\/[\w./-]+)/g)) {
      if (!/[A-Z]{3}|fr-en/.test(path)) assert.ok(existsSync(join(root, path)), path); // else a name to fill in
    }
  });
}
