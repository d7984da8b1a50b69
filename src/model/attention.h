#pragma once

#include <span>

#include "model/decoder_row.h"
#include "model/weights.h"
#include "model/workspace.h"

namespace dragoman {

/// Rows [begin, begin + length) of the activations: the encoder stacks sentences.
struct RowRange {
  int begin, length;
};

/// hidden = LN(hidden + attention(hidden)), each sentence attending to its own rows only.
void encoder_self_attention(const AttentionWeights& weights, int heads, std::span<const RowRange> sentences, float eps,
                            Workspace& work);

/// hidden = LN(hidden + attention(hidden)) for one new position of every row: its key and value are appended to the
/// row's cache at position target->length(), which the caller advances after the last layer.
void decoder_self_attention(const AttentionWeights& weights, int heads, int layer, std::span<const DecoderRow> rows,
                            float eps, Workspace& work);

/// hidden = LN(hidden + attention(hidden, source)) for every row, over the keys and values in its `cross` cache. Rows
/// that ask for it get their softmax.
void cross_attention(const AttentionWeights& weights, int heads, int layer, std::span<const DecoderRow> rows, float eps,
                     Workspace& work);

}  // namespace dragoman
