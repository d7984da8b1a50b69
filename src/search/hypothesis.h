#pragma once

#include <vector>

namespace dragoman {

/// A translation being written, piece by piece.
struct Hypothesis {
  std::vector<int> tokens;    // without eos
  float log_probability = 0;  // sum over the tokens and eos
  int parent = 0;             // which of the live hypotheses before its last step it extends
  bool ended = false;         // that step chose eos
};

struct SearchOptions {
  int eos;
  int limit;           // tokens after which a hypothesis is cut off
  bool score = false;  // also compute what the search itself does not need: log-probabilities when greedy
};

}  // namespace dragoman
