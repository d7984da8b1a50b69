/** All that the model computes on a sentence, through the API: the numbers agree with what a translation tells of itself. */
import assert from 'node:assert/strict';
import { inEachBrowser } from './support/browsers.mjs';
import { pageTests } from './support/page-tests.mjs';

inEachBrowser((environment) => {
  const { pageTest } = pageTests(environment);

  pageTest(
    'inspect() gives states, attention, log-probabilities and masks, which are those of translations',
    async () => {
      const translator = await create();
      const [first, second] = ['Where is the train station?', 'Good morning!'];
      const given = 'Guten Morgen!';
      const { sentences, masks } = await translator.inspect([first, [second, given]]);
      let attention;
      const greedy = await translator.translate(first, { beam: 1, attention: true, onAttention: (news) => (attention = news) });
      const scores = await translator.score(second, given);
      translator.destroy();
      const sumsOf = ({ shape, values }) => {
        const columns = shape.at(-1);
        return Array.from({ length: values.length / columns }, (_, row) =>
          values.subarray(row * columns, (row + 1) * columns).reduce((a, b) => a + b, 0),
        );
      };
      const causal = ({ shape, values }) => {
        const size = shape.at(-1);
        return values.every((weight, at) => weight === 0 || at % size <= Math.floor(at / size) % size);
      };
      return {
        greedy,
        pieces: sentences[0].target.pieces.join(''),
        masks,
        shape: attention.shape,
        sides: sentences
          .flatMap(({ source, target }) => [source, target])
          .map(({ tokens, pieces, hidden, selfAttention }) => ({
            count: [tokens.length, pieces.length],
            hidden: [hidden.shape, hidden.values.length, hidden.values.every(Number.isFinite)],
            attention: [selfAttention.shape, selfAttention.values.length],
            sums: sumsOf(selfAttention),
          })),
        causal: sentences.map(({ target }) => causal(target.selfAttention)),
        cross: sentences.map(({ crossAttention }) => [crossAttention.shape, sumsOf(crossAttention)]),
        // Row t of a decoder's pass has read the token before t: what a translation attended to when it had written that one.
        farthest: (() => {
          const { source, target, weights } = attention.sentences[0];
          const [layers, heads, rows, columns] = sentences[0].crossAttention.shape;
          let most = 0;
          for (let head = 0; head < layers * heads; head++)
            for (let t = 0; t < target.length; t++)
              for (let s = 0; s <= source.length; s++) {
                const one = weights[(head * target.length + t) * columns + s];
                const other = sentences[0].crossAttention.values[(head * rows + t + 1) * columns + s];
                most = Math.max(most, Math.abs(one - other));
              }
          return most;
        })(),
        logProbabilities: [[...sentences[1].logProbabilities].reduce((a, b) => a + b, 0), scores.sentences[0][2]],
      };
    },
    ({ greedy, pieces, masks, shape, sides, causal, cross, farthest, logProbabilities }) => {
      assert.equal(pieces.replaceAll('▁', ' ').replace('</s>', '').trim(), greedy);
      for (const [i, { count, hidden, attention, sums }] of sides.entries()) {
        const [layers, heads, width] =
          i % 2
            ? [shape.decoderLayers, shape.decoderHeads, shape.width]
            : [shape.encoderLayers, shape.encoderHeads, shape.encoderWidth];
        const [tokens] = count;
        assert.deepEqual(count, [tokens, tokens]);
        assert.deepEqual(hidden, [[layers + 1, tokens, width], (layers + 1) * tokens * width, true]);
        assert.deepEqual(attention, [[layers, heads, tokens, tokens], layers * heads * tokens * tokens]);
        for (const sum of sums) assert.ok(Math.abs(sum - 1) < 1e-3, `a row adds up to ${sum}`);
      }
      assert.deepEqual(causal, [true, true]);
      const lengths = sides.map(({ count }) => count[0]);
      for (const [i, [dimensions, sums]] of cross.entries()) {
        assert.deepEqual(dimensions, [shape.decoderLayers, shape.decoderHeads, lengths[2 * i + 1], lengths[2 * i]]);
        for (const sum of sums) assert.ok(Math.abs(sum - 1) < 1e-3, `a row adds up to ${sum}`);
      }
      assert.ok(farthest < 1e-4, `attention differs by ${farthest}`);
      assert.ok(Math.abs(logProbabilities[0] - logProbabilities[1]) < 1e-3, `${logProbabilities}`);
      const padding = (mask) => mask.map((row) => row.filter((hidden) => !hidden).length);
      assert.deepEqual(padding(masks.sourcePadding), [lengths[0], lengths[2]]);
      assert.deepEqual(padding(masks.targetPadding), [lengths[1], lengths[3]]);
      assert.deepEqual(masks.causal[0].slice(0, 3), [false, true, true]);
      assert.ok(masks.causal.at(-1).every((hidden) => !hidden));
    },
  );

  pageTest(
    'inspect() refuses what is too long with an error that says so, and what is aborted with its reason',
    async () => {
      const translator = await create();
      const long = await outcome(translator.inspect(['word '.repeat(2000)]));
      const aborted = await outcome(translator.inspect(['No.'], { signal: AbortSignal.abort(new Error('enough')) }));
      const { masks } = await translator.inspect([]);
      const after = (await translator.inspect('No, thanks.')).sentences.length;
      translator.destroy();
      return { long, aborted, masks, after };
    },
    ({ long, aborted, masks, after }) => {
      assert.match(long.message, /pieces; \d+ are the most/);
      assert.equal(aborted.message, 'enough');
      assert.deepEqual(masks, { sourcePadding: [], targetPadding: [], causal: [] });
      assert.equal(after, 1);
    },
  );
});
