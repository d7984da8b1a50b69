#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace dragoman {

/// What has been written of phrases: see Phrases.
struct Progress {
  uint64_t met = 0;          // bit i: phrase i is done
  uint64_t begun = 0;        // bit i: the last `length` tokens are the first of phrase i
  int length = 0;            // of what is begun
  bool at_start = true;      // there is nothing in front of what is begun
  bool ends_phrase = false;  // the last token was the last of one
};

/// A translation being written, piece by piece.
struct Hypothesis {
  std::vector<int> tokens;                    // without eos
  float log_probability = 0;                  // sum over the tokens and eos
  int parent = 0;                             // which of the live hypotheses before its last step it extends
  bool ended = false;                         // that step chose eos
  std::vector<float> log_probabilities = {};  // of each token, and of eos if it ended; see SearchOptions::score
  Progress progress = {};
};

struct SearchOptions {
  int eos;
  int limit;           // tokens after which a hypothesis is cut off
  bool score = false;  // also keep what the search itself does not need: each token's log-probability
  /// Find the likeliest hypotheses as they are, not per token, each as probable as it is among those that the rules
  /// leave.
  bool by_probability = false;
  /// A hypothesis whose log-probability is by more than this below that of the likeliest one, finished or not, is given
  /// up.
  float margin = std::numeric_limits<float>::infinity();
};

}  // namespace dragoman
