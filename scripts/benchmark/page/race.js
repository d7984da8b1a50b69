/**
 * The same tasks for every engine, timed on the page, as its visitor would see them. race.html?engine=NAME takes
 * engine_NAME.js, which has
 *   load()                  resolves when it can translate
 *   translate(text, onText) the translation; onText hears each part, if the engine has parts
 *   translateAll(texts)     all at once, in the way that is the engine's fastest
 *   wasmBytes()             of its WebAssembly memory
 */
const engine = await import(`./engine_${new URL(location.href).searchParams.get('engine')}.js`);

async function timed(task) {
  const start = performance.now();
  const result = await task();
  return { ms: performance.now() - start, result };
}

async function oneByOne(texts) {
  const translations = [];
  for (const text of texts) translations.push(await engine.translate(text));
  return translations;
}

// Begun by the page itself: what a visitor waits for has no messages from outside in it.
const loaded = engine.load();

const tasks = {
  load: () => loaded,
  oneByOne: (texts) => timed(() => oneByOne(texts)),
  atOnce: (texts) => timed(() => engine.translateAll(texts)),
  /** ms from the call to the first piece of the translation, or all of it from engines that tell no pieces */
  async firstText(text) {
    const start = performance.now();
    let ms;
    await engine.translate(text, () => (ms ??= performance.now() - start));
    return ms ?? performance.now() - start;
  },
  /** ms from the navigation, which is where performance.now() counts from, to the first translation */
  async arrive(text) {
    await loaded;
    await engine.translate(text);
    return performance.now();
  },
  wasmBytes: () => engine.wasmBytes(),
};

// Called from outside.
globalThis.race = (task, input) => tasks[task](input);

export {};
