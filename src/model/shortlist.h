#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/linear.h"

namespace dragoman {

/// Which target pieces a source piece is likely to be translated to; made by scripts/models/shortlist.py, stored with
/// the weights.
class LexicalTable {
 public:
  /// candidates [V, K]: of source piece s in row s, filled up with eos; frequent [F]: for every sentence. All below V.
  LexicalTable(std::vector<uint16_t> candidates, std::vector<uint16_t> frequent, int vocabulary);

  /// Target pieces for a sentence, ascending, each once: the candidates of its pieces, the frequent ones, eos, and the
  /// sentence's own pieces, since names are copied.
  std::vector<int> candidates(std::span<const int> source) const;

 private:
  std::vector<uint16_t> candidates_, frequent_;
  size_t each_;  // K
};

/// The output layer of one sentence, with the target pieces that its words may become in place of the whole vocabulary.
struct Shortlist {
  std::vector<int> tokens;  // ascending
  Linear output;            // [tokens, D], their rows of the output layer
};

}  // namespace dragoman
