#pragma once

#include "model/residual.h"

namespace dragoman {

/// The sub-layer activation(hidden W_up^T + b) W_down^T + b for the first `rows` rows (Vaswani et al. 2017, eq. 2).
void feed_forward(const FeedForwardWeights& weights, const LayerForm& form, int rows, Workspace& work);

}  // namespace dragoman
