#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dragoman {

/// What sentences take: one of them, several together, or the most there is room for.
struct Demand {
  size_t encoder_rows = 0;  // source pieces
  size_t hypotheses = 0;    // decoder rows
  size_t bytes = 0;         // of caches and shortlists
};

Demand operator+(const Demand& a, const Demand& b);

/// Whether a sentence may join those that are encoded next (`batch`), while others are `running` in the decoder: with
/// it, nothing is past its limit. A sentence that finds the engine empty is let in whatever its caches take, the first
/// of a batch whatever its rows are, or it would wait for ever.
bool is_admitted(const Demand& sentence, const Demand& batch, const Demand& running, const Demand& limits);

/// Cuts a batch into at most `parts` stretches such that the longest is as short as can be: stretch p has the sentences
/// bounds[p] ... bounds[p + 1] - 1, at least one. lengths: rows of each sentence, >= 1. A stretch is shorter than the
/// longest sentence and one part's share of the rows together: filled up to that sum, each but the last would hold more
/// than its share.
std::vector<size_t> share_out(std::span<const size_t> lengths, size_t parts);

}  // namespace dragoman
