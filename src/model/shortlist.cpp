#include "model/shortlist.h"

#include <algorithm>

namespace dragoman {

LexicalTable::LexicalTable(std::vector<uint16_t> candidates, std::vector<uint16_t> frequent, int vocabulary)
    : candidates_(std::move(candidates)), frequent_(std::move(frequent)), each_(candidates_.size() / vocabulary) {}

std::vector<int> LexicalTable::candidates(std::span<const int> source) const {
  std::vector<int> tokens(source.begin(), source.end());  // with eos, the last of them
  tokens.insert(tokens.end(), frequent_.begin(), frequent_.end());
  for (const int piece : source) {
    const auto row = candidates_.begin() + static_cast<std::ptrdiff_t>(piece * each_);
    tokens.insert(tokens.end(), row, row + static_cast<std::ptrdiff_t>(each_));
  }
  std::sort(tokens.begin(), tokens.end());
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  return tokens;
}

}  // namespace dragoman
