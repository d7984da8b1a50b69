#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/linear.h"

namespace dragoman {

/// Which target pieces a source piece is likely to be translated to; made by scripts/models/shortlist.py and stored
/// with the weights, or one of Marian's.
class LexicalTable {
 public:
  /// candidates: those of source piece s are offsets[s] ... offsets[s + 1] - 1; offsets [source V + 1], ascending from
  /// 0 to the number of candidates; frequent: for every sentence, eos among them or copies; copies: whether both sides
  /// have the same pieces, so that a sentence's own are candidates, too. All below V.
  LexicalTable(std::vector<uint32_t> offsets, std::vector<uint16_t> candidates, std::vector<uint16_t> frequent,
               bool copies);

  /// Target pieces for a sentence, ascending, each once: the candidates of its pieces, the frequent ones, and its own,
  /// since names are copied.
  std::vector<int> candidates(std::span<const int> source) const;

 private:
  std::vector<uint32_t> offsets_;
  std::vector<uint16_t> candidates_, frequent_;
  bool copies_;
};

/// The output layer of one sentence, with the target pieces that its words may become in place of the whole vocabulary.
struct Shortlist {
  std::vector<int> tokens;  // ascending
  Linear output;            // [tokens, D], their rows of the output layer
};

}  // namespace dragoman
