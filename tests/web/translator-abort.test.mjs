/**
 * Ends of calls that nobody waited for: signals aborted before, during and after, translators destroyed. The cases follow
 * web-platform-tests' ai/translator and ai/resources/util.js (what they expect, not their code), and add what those leave open.
 */
import assert from 'node:assert/strict';
import { inEachBrowser } from './support/browsers.mjs';
import { pageTests } from './support/page-tests.mjs';

inEachBrowser((environment) => {
  const { pageTest } = pageTests(environment);

  pageTest(
    'both abort forms, before and during, default and own reason, for create, translate, measureInputUsage',
    async () => {
      const translator = await create();
      const methods = {
        create: (signal) => create({ signal }),
        translate: (signal) => translator.translate('hello', { signal }),
        blank: (signal) => translator.translate(' ', { signal }),
        long: (signal) => translator.translate(LONG, { signal }),
        measure: (signal) => translator.measureInputUsage('hello', { signal }),
      };
      const failures = [];
      for (const [name, method] of Object.entries(methods)) {
        for (const own of [undefined, new Error('test'), 'a string']) {
          const controller = new AbortController();
          const during = method(controller.signal);
          controller.abort(own);
          const again = method(controller.signal);
          for (const [form, promise] of Object.entries({ during, again })) {
            const error = await promise.then(
              () => 'resolved',
              (reason) => reason,
            );
            const right = own === undefined ? error instanceof DOMException && error.name === 'AbortError' : error === own;
            if (!right) failures.push(`${name} ${form} ${own}: ${error}`);
          }
        }
      }
      return failures;
    },
    (failures) => assert.deepEqual(failures, []),
  );

  pageTest(
    'aborting a stream errors it with the reason; an aborted signal throws at once',
    async () => {
      const translator = await create();
      const results = [];
      for (const own of [undefined, new DOMException('test', 'VersionError')]) {
        const controller = new AbortController();
        const before = translator.translateStreaming(LONG, { signal: controller.signal });
        controller.abort(own);
        const error = await before.pipeTo(new WritableStream()).catch((reason) => reason);
        let thrown;
        try {
          translator.translateStreaming('hello', { signal: controller.signal });
        } catch (reason) {
          thrown = reason;
        }
        const midway = new AbortController();
        const reading = translator
          .translateStreaming(LONG, { signal: midway.signal })
          .pipeTo(new WritableStream({ write: () => midway.abort(own) }));
        const during = await reading.catch((reason) => reason);
        results.push([error, thrown, during].map((reason) => (own ? reason === own : reason.name)));
      }
      return results;
    },
    (results) =>
      assert.deepEqual(results, [
        ['AbortError', 'AbortError', 'AbortError'],
        [true, true, true],
      ]),
  );

  pageTest(
    'a call that has ended has left nothing with its signal, nor with the translator',
    async () => {
      const translator = await create();
      const { prototype } = EventTarget;
      const [add, remove, any] = [prototype.addEventListener, prototype.removeEventListener, AbortSignal.any];
      const listened = new Map();
      const count = () => [...listened.values()].reduce((all, listeners) => all + listeners.size, 0);
      let [most, dependent] = [0, 0];
      prototype.addEventListener = function (type, listener, ...others) {
        if (this instanceof AbortSignal) listened.set(this, (listened.get(this) ?? new Set()).add(listener));
        most = Math.max(most, count());
        add.call(this, type, listener, ...others);
      };
      prototype.removeEventListener = function (type, listener, ...others) {
        listened.get(this)?.delete(listener);
        remove.call(this, type, listener, ...others);
      };
      AbortSignal.any = (signals) => {
        dependent++;
        return any.call(AbortSignal, signals);
      };
      const kept = new AbortController();
      const aborted = new AbortController();
      const calls = [kept.signal, undefined, aborted.signal].flatMap((signal) => [
        translator.translate('Where is the station?', { signal }),
        translator.translate(' ', { signal }),
        translator.score('Yes.', 'Ja.', { signal }),
        translator.measureInputUsage('hello', { signal }),
        read(translator.translateStreaming('Where is the station?', { signal })),
        translator.translate('hello', { signal, beam: 100 }),
      ]);
      aborted.abort();
      const ended = await Promise.allSettled(calls);
      Object.assign(prototype, { addEventListener: add, removeEventListener: remove });
      AbortSignal.any = any;
      return { ended: ended.map(({ status }) => status[0]).join(''), most, left: count(), dependent };
    },
    ({ ended, most, left, dependent }) => {
      assert.equal(ended, `${'f'.repeat(5)}r`.repeat(2) + 'r'.repeat(6));
      assert.ok(most >= 10, `${most} listeners while they were under way`);
      // Firefox keeps what AbortSignal.any makes as long as the translator lives.
      assert.deepEqual({ left, dependent }, { left: 0, dependent: 0 });
    },
  );

  pageTest(
    'destroy aborts what is under way and all that follows, with an AbortError',
    async () => {
      const translator = await create();
      const stream = translator.translateStreaming(LONG);
      const promises = [translator.translate(LONG), translator.measureInputUsage('hello'), translator.translate(' ')];
      translator.destroy();
      translator.destroy();
      promises.push(translator.translate('hello'), translator.measureInputUsage('hello'), stream.pipeTo(new WritableStream()));
      promises.push(new Promise(() => translator.translateStreaming('hello')));
      return Promise.all(promises.map(outcome));
    },
    (results) => {
      assert.equal(results.length, 7);
      for (const { error } of results) assert.equal(error, 'AbortError');
    },
  );

  pageTest(
    'the signal given to create destroys the translator later, with its reason',
    async () => {
      const controller = new AbortController();
      const translator = await create({ signal: controller.signal });
      const promises = [translator.translate(LONG), translator.measureInputUsage('hello')];
      const reason = new Error('The create abort signal was aborted.');
      controller.abort(reason);
      promises.push(translator.translate('hello'));
      return Promise.all(promises.map((promise) => promise.catch((error) => error === reason)));
    },
    (results) => assert.deepEqual(results, [true, true, true]),
  );

  pageTest(
    'a call may be aborted by its own onStatistics',
    async () => {
      const translator = await create();
      const abort = () => {
        const controller = new AbortController();
        return { signal: controller.signal, onStatistics: () => controller.abort() };
      };
      return [
        await outcome(translator.translate(LONG, abort())),
        await outcome(read(translator.translateStreaming(LONG, abort()))),
        await outcome(translator.translate('No.')),
      ];
    },
    ([whole, stream, next]) => {
      assert.deepEqual([whole.error, stream.error], ['AbortError', 'AbortError']);
      assert.equal(next.value, 'Nein.');
    },
  );
});
