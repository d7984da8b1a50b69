#pragma once

#include <vector>

#include "base/matrix.h"
#include "model/config.h"
#include "model/linear.h"
#include "model/observation.h"

namespace dragoman {

/// All scratch memory of encoder and decoder, allocated once; a decoder step allocates nothing.
struct Workspace {
  /// max_rows: tokens the encoder takes at once; max_hypotheses: rows of a decoder step (<= max_rows).
  Workspace(const Config& config, int max_rows, int max_hypotheses);

  const int max_rows, max_hypotheses;
  // Rows one behind the other, as wide as the side at work has them.
  Vector hidden;               // [max_rows, D], the activations that go from layer to layer
  Vector normed;               // [max_rows, D], their layer norm, if that comes first
  Vector query, key, value;    // [max_rows, A], or [max_rows, D] of an SSRU
  Vector context;              // [max_rows, A], what attention read
  Vector residual;             // [max_rows, D], output of a sub-layer
  Vector ffn;                  // [max_rows, F]
  Vector attention;            // [H * kMaxPositions], softmax of one query
  Matrix logits;               // [max_hypotheses, V]
  QuantizedScratch quantized;  // the input of the product at hand

  Observation* observation = nullptr;  // gets what goes through the layers, if somebody looks on; that allocates
};

}  // namespace dragoman
