#!/usr/bin/env node
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { duration, openDocument, Pace, translateSegments } from '../files.js';
import { Translators } from './translators.js';

/** The package's command. Exit codes as the native program's: 0 fine, 2 bad usage, 1 anything else, with one line on stderr. */

const USAGE = `usage: dragoman translate-file --from en --to de [--threads N] IN OUT

Translates a file, of the kind that its name says, and keeps its structure. The end says how long it took.
  --from, --to   languages
  --threads      models that work side by side; default: the cores
`;
// As many as are of use, and as the native program takes.
const MOST_THREADS = 64;
// Where stderr is no terminal: a line for each tenth.
const STEPS = 10;

class UsageError extends Error {}

function arguments_() {
  let parsed;
  try {
    parsed = parseArgs({
      options: {
        from: { type: 'string' },
        to: { type: 'string' },
        threads: { type: 'string', default: `${availableParallelism()}` },
        help: { type: 'boolean', short: 'h' },
      },
      allowPositionals: true,
    });
  } catch (error) {
    throw new UsageError(/** @type {Error} */ (error).message);
  }
  const { values, positionals } = parsed;
  if (values.help) return undefined;
  const [command, input, output, ...more] = positionals;
  if (command !== 'translate-file') throw new UsageError(command ? `there is no command ${command}.` : 'a command is missing.');
  if (!input || !output || more.length > 0) throw new UsageError('two files are needed: the one to read and the one to write.');
  if (!values.from || !values.to) throw new UsageError('--from and --to are needed.');
  const threads = Number(values.threads);
  if (!Number.isInteger(threads) || threads < 1 || threads > MOST_THREADS)
    throw new UsageError(`--threads is 1 to ${MOST_THREADS}.`);
  return { from: values.from, to: values.to, threads, input, output };
}

/** @param {NonNullable<ReturnType<typeof arguments_>>} what */
async function translateFile({ from, to, threads, input, output }) {
  const begun = performance.now();
  const document = await openDocument(input, await readFile(input));
  const translators = new Translators({ sourceLanguage: from, targetLanguage: to }, threads);
  try {
    const inFlight = threads * translators.inFlight;
    const translations = await translateSegments(document, translators, { inFlight, onProgress: progress() });
    await replace(output, document.write(translations, to));
  } finally {
    translators.destroy();
  }
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  process.stderr.write(`${output}: ${document.segments.length} segments in ${seconds} s\n`);
}

/** @returns {(news: {done: number, total: number}) => void} */
function progress() {
  const pace = new Pace();
  let told = 0;
  return (news) => {
    const left = pace.secondsLeft(news);
    const line = `${Math.floor((100 * news.done) / news.total)} %${left ? `, ${duration(left)} left` : ''}`;
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${news.done < news.total ? line : ''}`);
    else if (news.done < news.total && Math.floor((STEPS * news.done) / news.total) > told) {
      told = Math.floor((STEPS * news.done) / news.total);
      process.stderr.write(`${line}\n`);
    }
  };
}

/**
 * All of it or nothing: whoever stops the command finds no half of a file.
 * @param {string} path
 * @param {Uint8Array} bytes
 */
async function replace(path, bytes) {
  const unfinished = `${path}.${process.pid}.part`;
  try {
    await writeFile(unfinished, bytes);
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** @type {Record<string, string>} */
const CODES = { DataError: 'bad-file', NotSupportedError: 'not-supported', QuotaExceededError: 'too-large' };

/** @param {any} error */
function describe({ name, code, message, syscall }) {
  if (syscall) return `io: ${message}`;
  return CODES[name] ? `${CODES[name]}: ${message}` : `${typeof code === 'string' ? `${code}: ` : ''}${message}`;
}

try {
  const what = arguments_();
  if (what) await translateFile(what);
  else process.stdout.write(USAGE);
} catch (error) {
  if (error instanceof UsageError) {
    process.stderr.write(`dragoman: ${error.message}\n${USAGE}`);
    process.exitCode = 2;
  } else {
    process.stderr.write(`dragoman: ${describe(error).replace(/\s*\n\s*/g, ' ')}\n`);
    process.exitCode = 1;
  }
}
