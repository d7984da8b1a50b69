#pragma once

#include <algorithm>

#include "base/matrix.h"
#include "model/config.h"

namespace dragoman {

/// Largest number of positions of either side: source pieces or target pieces of one sentence, ends counted.
inline constexpr int kMaxPositions = 512;

/// Most source pieces that a model takes, eos counted.
inline int source_limit(const Config& c) { return std::min(c.source_positions, kMaxPositions); }

/// Target tokens after which a translation of `source_tokens` (eos counted) is cut off.
inline int target_limit(const Config& c, int source_tokens) {
  return std::min({2 * source_tokens + 16, c.target_positions, kMaxPositions});
}

/// Sinusoidal positions [count, D] from number `first` on, laid out as `positions` says: kSinusoidal, kHalves or
/// kInterleaved.
Matrix sinusoidal_positions(Positions positions, int first, int count, int width);

}  // namespace dragoman
