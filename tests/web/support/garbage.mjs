/**
 * For a page to run: makes garbage, in any browser, until what was garbage before is collected. Buffers that are never touched
 * cost nothing but count in full for the browser, which soon wants room.
 */
export async function collectGarbage() {
  let collected = false;
  const registry = new FinalizationRegistry(() => (collected = true));
  // In a function of its own: a variable of this one might hold it.
  (() => registry.register({}, undefined))();
  while (!collected) {
    new ArrayBuffer(8 << 20);
    await new Promise((go) => setTimeout(go));
  }
}
