#pragma once

#include "model/weights.h"
#include "model/workspace.h"

namespace dragoman {

/// hidden = LN(hidden + relu(hidden W_up^T + b) W_down^T + b) for the first `rows` rows (Vaswani et al. 2017, eq. 2).
void feed_forward(const FeedForwardWeights& weights, int rows, float eps, Workspace& work);

}  // namespace dragoman
