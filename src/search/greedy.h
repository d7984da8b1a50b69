#pragma once

#include <span>
#include <vector>

namespace dragoman {

/// A translation being written, piece by piece.
struct Hypothesis {
  std::vector<int> tokens;    // without eos
  float log_probability = 0;  // sum over the tokens and eos; 0 unless GreedyOptions::score
  bool finished = false;
};

struct GreedyOptions {
  int eos;
  int limit;           // tokens after which a hypothesis is cut off
  bool score = false;  // also sum up log-probabilities: one exp per vocabulary entry and step
};

/// Extends a hypothesis by the most probable next token. logits belong to its last position: one for each of `tokens`,
/// or, if that is empty, for each of the vocabulary.
void extend_greedily(Hypothesis& hypothesis, std::span<const float> logits, std::span<const int> tokens,
                     const GreedyOptions& options);

}  // namespace dragoman
