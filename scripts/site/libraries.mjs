/** The libraries of npm in what esbuild has made. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * @param {import('esbuild').Metafile} metafile
 * @returns {string[]} names
 */
export function librariesIn({ outputs }) {
  const inputs = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs));
  const names = inputs.map(
    ([path, { bytesInOutput }]) => bytesInOutput > 0 && /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1],
  );
  return [...new Set(names)].filter((name) => typeof name === 'string').sort();
}

/**
 * @param {string} root
 * @param {string[]} names of libraries
 */
export async function licenceTexts(root, names) {
  const texts = names.map(async (name) => {
    const folder = join(root, 'node_modules', name);
    const file = (await readdir(folder)).find((one) => /^licen[cs]e/i.test(one));
    const { license, author } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const text = file ? await readFile(join(folder, file), 'utf8') : `${license}, by ${author?.name ?? author}`;
    return `${name}\n\n${text.trim()}\n`;
  });
  return (await Promise.all(texts)).join('\n\n');
}
