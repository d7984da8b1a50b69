// More than one machine: what the README says of GNU parallel, with two workers here in the place of two hosts.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const COMMAND = 'build/native/dragoman translate --threads 1 --model weights/en-de';
const lines = Array.from({ length: 120 }, (_, i) => `On day ${i} I have ${i} books.\n`).join('');

/** @param {string[]} how */
function parallel(how) {
  const given = ['--will-cite', '--pipe', '-k', '--retries', '3', '-N', '10', ...how, COMMAND];
  return spawn('parallel', given, { cwd: root });
}

function alone() {
  const [program, ...rest] = COMMAND.split(' ');
  return spawnSync(`${root}${program}`, rest, { cwd: root, input: lines, encoding: 'utf8' }).stdout;
}

test('the README shows the options that are tested here', () => {
  const readme = readFileSync(`${root}README.md`, 'utf8');
  assert.match(readme, /parallel --pipe -k --retries 3 .*-S host1,host2 .*dragoman translate/);
});

test('two workers: the same lines in the same order', async () => {
  const child = parallel(['-j', '2']);
  child.stdin.end(lines);
  assert.equal(await text(child.stdout), alone());
});

test('a worker is killed on its way: its lines are translated by another, in their place', async () => {
  const child = parallel(['-j', '2']);
  child.stdin.end(lines);
  const out = text(child.stdout);
  const ended = new Promise((resolve) => child.on('close', resolve));
  while (!kill(await worker(child.pid)));
  assert.equal(await ended, 0);
  assert.equal(await out, alone());
});

/** Whether it was still there. */
function kill(pid) {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
    return false;
  }
}

/** The number of a process of the program that was started below another one. */
async function worker(ancestor) {
  for (;;) {
    const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    const parents = new Map(all.map((pid) => [Number(pid), parentOf(pid)]));
    const below = (pid) => pid === ancestor || (parents.get(pid)?.parent > 1 && below(parents.get(pid).parent));
    const found = [...parents].find(([pid, { name }]) => name === 'dragoman' && below(pid));
    if (found) return found[0];
    if (!parents.has(ancestor)) throw new Error('All was through before a worker was found.');
    await new Promise((go) => setTimeout(go, 1));
  }
}

function parentOf(pid) {
  try {
    const [, name, parent] = /^\d+ \((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return { name, parent: Number(parent) };
  } catch {
    return { name: '', parent: 0 }; // gone meanwhile
  }
}
