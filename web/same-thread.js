/**
 * Dragoman for service workers, which cannot start workers: the engine runs on their own thread (scripts/site/package.mjs puts
 * same-thread/worker-host.js in its place). Without the language detector, whose tables come by import(), which they lack, too.
 */
export { Dragoman } from './api/models.js';
export { Translator } from './api/translator.js';
