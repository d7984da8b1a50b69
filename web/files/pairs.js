/**
 * Which tags in a row belong together: of each opening one the text of the tag that closes it, and `end` for that.
 * @param {string[]} pieces what is no tag counts for nothing
 * @returns {Map<number, string>} by index
 */
export function pairs(pieces) {
  /** @type {Map<number, string>} */
  const found = new Map();
  /** @type {{name: string, index: number}[]} */
  const open = [];
  for (const [index, piece] of pieces.entries()) {
    const [, slash, name, alone] = /^<(\/?)([a-z][\w:-]*)[\s\S]*?(\/?)>$/i.exec(piece) ?? [];
    if (!name || alone) continue;
    if (!slash) open.push({ name, index });
    else {
      const at = open.findLastIndex((one) => one.name === name);
      if (at < 0) continue;
      found.set(open[at].index, piece);
      found.set(index, 'end');
      open.splice(at);
    }
  }
  return found;
}
