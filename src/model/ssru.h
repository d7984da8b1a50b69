#pragma once

#include <span>

#include "model/decoder_row.h"
#include "model/weights.h"
#include "model/workspace.h"

namespace dragoman {

/// hidden = LN(hidden + ssru(hidden)) for one new position of every row, in the place of self-attention: the row's
/// cells move on.
void ssru(const SsruWeights& weights, int layer, std::span<const DecoderRow> rows, float eps, Workspace& work);

}  // namespace dragoman
