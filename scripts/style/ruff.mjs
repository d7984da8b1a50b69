/** Checks Python files by the settings of ruff.toml: node scripts/style/ruff.mjs FILE ... Exit status 1 when it finds something. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import ruff from '@astral-sh/ruff-wasm-nodejs';

const PARSE = 'import json, sys, tomllib; json.dump(tomllib.load(sys.stdin.buffer), sys.stdout)';

/** The settings, and what ruff would find out by itself could it see our folders: which modules are our own. */
function settings() {
  const read = JSON.parse(
    execFileSync('/usr/bin/python3', ['-c', PARSE], { input: readFileSync('ruff.toml'), encoding: 'utf8' }),
  );
  const own = readdirSync('scripts', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.py'));
  read.lint.isort = { 'known-first-party': own.map((path) => basename(path, '.py')) };
  return read;
}

const workspace = new ruff.Workspace(settings(), ruff.PositionEncoding.Utf32);
for (const file of process.argv.slice(2)) {
  for (const { code, message, start_location: start } of workspace.check(readFileSync(file, 'utf8'))) {
    console.log(`${file}:${start.row}:${start.column}: ${code} ${message}`);
    process.exitCode = 1;
  }
}
