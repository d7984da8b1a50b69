/** What Firefox says of its memory, as in about:memory, all garbage collected. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

// The real-time signal for "collect, then report" (nsMemoryInfoDumper.cpp): SIGRTMIN + 1, of the C library's SIGRTMIN.
const COLLECT_AND_REPORT = 35;
const NAME = 'unified-memory-report-';
const PATIENCE_MS = 60_000;
const PAUSE_MS = 50;

/** @typedef {{process: string, path: string, amount: number}} Report bytes, mostly */

/**
 * Of the processes that have pages, in bytes: the objects of pages, those of workers with wasm memory, and what is allocated in
 * all, Firefox's own included.
 * @param {number} pid Firefox's first process
 * @returns {Promise<{pages: number, workers: number, allocated: number}>}
 */
export async function firefoxMemory(pid) {
  process.kill(pid, COLLECT_AND_REPORT);
  const reports = (await written(pid)).filter(({ process }) => process.startsWith('web'));
  const sum = (/** @type {string} */ beginning) =>
    reports.reduce((all, { path, amount }) => all + (path.startsWith(beginning) ? amount : 0), 0);
  return {
    pages: sum('explicit/window-objects/'),
    workers: sum('explicit/workers/'),
    allocated: sum('heap-allocated'),
  };
}

/**
 * @param {number} pid
 * @returns {Promise<Report[]>}
 */
async function written(pid) {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await new Promise((go) => setTimeout(go, PAUSE_MS))) {
    const name = (await readdir(tmpdir())).find((file) => file.startsWith(NAME) && file.endsWith(`-${pid}.json.gz`));
    if (!name) continue;
    try {
      const { reports } = JSON.parse(gunzipSync(await readFile(join(tmpdir(), name))).toString());
      await rm(join(tmpdir(), name));
      return reports;
    } catch {
      // Not all of it is written yet.
    }
  }
  throw new Error(`Firefox (${pid}) wrote no memory report to ${tmpdir()}`);
}
