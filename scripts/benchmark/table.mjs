/** Figures as a table of text. */

const number = (digits) => new Intl.NumberFormat('en', { maximumFractionDigits: digits, minimumFractionDigits: digits });

export const FORMATS = {
  bytes: number(0).format,
  ms: number(1).format,
  rate: number(0).format,
  ratio: (value) => `${number(2).format(value)} x`,
};

/**
 * @param {string[]} head
 * @param {string[][]} rows the first column is aligned to the left, the others to the right
 */
export function printTable(head, rows) {
  const lines = [head, head.map(() => ''), ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  for (const [i, line] of lines.entries()) {
    const cells = line.map((cell, column) => {
      if (i === 1) return '-'.repeat(widths[column]);
      return column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]);
    });
    console.log(`| ${cells.join(' | ')} |`);
  }
}
