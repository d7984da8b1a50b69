#pragma once

#include <span>

#include "model/decoder_row.h"
#include "model/residual.h"

namespace dragoman {

/// The sub-layer of an SSRU for one new position of every row, in the place of self-attention: the row's cells move on.
void ssru(const SsruWeights& weights, const LayerForm& form, int layer, std::span<const DecoderRow> rows,
          Workspace& work);

}  // namespace dragoman
