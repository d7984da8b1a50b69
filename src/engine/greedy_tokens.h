#pragma once

#include <vector>

#include "model/transformer.h"

namespace dragoman {

/// The ids of the model's own greedy translation of `source` (ids, ending in eos, at most source_limit()), by the whole
/// vocabulary; eos at its end unless it was cut off.
std::vector<int> greedy_tokens(const Transformer& model, const std::vector<int>& source);

}  // namespace dragoman
