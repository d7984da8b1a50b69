#pragma once

#include <span>

#include "model/kv_cache.h"
#include "model/weights.h"
#include "model/workspace.h"

namespace dragoman {

/// Rows [begin, begin + length) of stacked activations: one sentence.
struct RowRange {
  int begin, length;
};

struct Shortlist;

/// One hypothesis in a decoder step.
struct DecoderRow {
  int token;                             // the last one chosen, or kStart
  const KvCache* cross;                  // keys and values of the source sentence
  KvCache* self;                         // keys and values of the target so far; the step appends to it
  const Shortlist* shortlist = nullptr;  // the sentence's own output layer, in place of the whole vocabulary
};

/// In place of a token: the decoder starts from a zero vector.
inline constexpr int kStart = -1;

/// hidden = LN(hidden + attention(hidden)), each sentence attending to its own rows only.
void encoder_self_attention(const AttentionWeights& weights, int heads, std::span<const RowRange> sentences, float eps,
                            Workspace& work);

/// hidden = LN(hidden + attention(hidden)) for one new position of every row: its key and value are appended to the
/// row's cache at position self->length(), which the caller advances after the last layer.
void decoder_self_attention(const AttentionWeights& weights, int heads, int layer, std::span<const DecoderRow> rows,
                            float eps, Workspace& work);

/// hidden = LN(hidden + attention(hidden, source)) for every row, over the keys and values in its `cross` cache.
void cross_attention(const AttentionWeights& weights, int heads, int layer, std::span<const DecoderRow> rows, float eps,
                     Workspace& work);

}  // namespace dragoman
