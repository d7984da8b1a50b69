#pragma once

#include <span>

#include "model/decoder_row.h"
#include "model/residual.h"

namespace dragoman {

/// Rows [begin, begin + length) of the activations: the encoder stacks sentences.
struct RowRange {
  int begin, length;
};

/// The sub-layer in which each sentence attends to its own rows only.
void encoder_self_attention(const AttentionWeights& weights, const LayerForm& form, std::span<const RowRange> sentences,
                            Workspace& work);

/// The one for one new position of every row: its key and value are appended to the row's cache at position
/// target->length() + ahead; the caller advances the targets after the last layer.
void decoder_self_attention(const AttentionWeights& weights, const LayerForm& form, int layer,
                            std::span<const DecoderRow> rows, Workspace& work);

/// The one in which every row attends to the keys and values in its `cross` cache. Rows that ask for it get their
/// softmax.
void cross_attention(const AttentionWeights& weights, const LayerForm& form, int layer,
                     std::span<const DecoderRow> rows, Workspace& work);

}  // namespace dragoman
