/**
 * For a page or for Node: the functions of an object, and of the objects in it, whose name is not the one they have there.
 * @param {object} exports
 * @returns {string[]} as `its key: its name`
 */
export function misnamed(exports) {
  return Object.entries(exports).flatMap(([key, value]) => {
    if (typeof value === 'object') return misnamed(value);
    return typeof value !== 'function' || value.name === key ? [] : [`${key}: ${value.name}`];
  });
}
