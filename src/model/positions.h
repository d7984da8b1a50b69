#pragma once

#include <algorithm>

#include "base/matrix.h"

namespace dragoman {

/// Largest number of positions of either side: source pieces or target pieces of one sentence, ends counted.
inline constexpr int kMaxPositions = 512;

/// Target tokens after which a translation of `source_tokens` (eos counted) is cut off.
inline int target_limit(int source_tokens) { return std::min(2 * source_tokens + 16, kMaxPositions); }

/// Sinusoidal positions [count, D] as Marian and fairseq lay them out: D/2 sines, then D/2 cosines of
/// position * 10000^(-i / (D/2 - 1)).
Matrix sinusoidal_positions(int count, int width);

}  // namespace dragoman
