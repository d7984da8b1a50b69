/** Called by the benchmark from outside, with its profiler running: the core on the page itself, where the profiler looks. */
import { instantiate, load } from './core_load.js';

const loading = instantiate('../core-profile');
const loaded = (async () => load(await loading, '../weights/en-de'))();

/** Translates each of the texts by itself. */
globalThis.translate = async (texts) => {
  const [core, engine] = [await loading, await loaded];
  for (const text of texts) {
    const translation = engine.start(new TextEncoder().encode(text), core.defaultOptions());
    while (!translation.done()) engine.step();
    translation.delete();
  }
};
