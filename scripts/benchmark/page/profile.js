/** Called by the benchmark from outside, with its profiler running: the core on the page itself, where the profiler looks. */
import { instantiate, load } from './core_load.js';

const loaded = (async () => load(await instantiate('../core-profile'), '../weights/en-de'))();

/** Translates each of the texts by itself. */
globalThis.translate = async (texts) => {
  const engine = await loaded;
  for (const text of texts) {
    const translation = engine.start(new TextEncoder().encode(text), { beam: 1, alignment: false });
    while (!translation.done()) engine.step();
    translation.delete();
  }
};
