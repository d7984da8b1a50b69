#include "model/shortlist.h"

#include <algorithm>

namespace dragoman {

LexicalTable::LexicalTable(std::vector<uint32_t> offsets, std::vector<uint16_t> candidates,
                           std::vector<uint16_t> frequent, bool copies)
    : offsets_(std::move(offsets)),
      candidates_(std::move(candidates)),
      frequent_(std::move(frequent)),
      copies_(copies) {}

std::vector<int> LexicalTable::candidates(std::span<const int> source) const {
  std::vector<int> tokens(frequent_.begin(), frequent_.end());
  if (copies_) tokens.insert(tokens.end(), source.begin(), source.end());  // with eos, the last of them
  for (const int piece : source)
    tokens.insert(tokens.end(), candidates_.begin() + offsets_[piece], candidates_.begin() + offsets_[piece + 1]);
  std::sort(tokens.begin(), tokens.end());
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  return tokens;
}

}  // namespace dragoman
