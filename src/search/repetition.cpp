#include "search/repetition.h"

#include <algorithm>
#include <limits>

namespace dragoman {
namespace {

constexpr int kLongestStretch = 24;  // tokens: a clause

}  // namespace

int allowed_repetitions(std::span<const int> source) {
  int most = 0;
  const int length = static_cast<int>(source.size());
  for (int stretch = 1; stretch <= kLongestStretch; ++stretch) {
    for (int i = stretch, same = 0; i < length; ++i) {
      same = source[i] == source[i - stretch] ? same + 1 : 0;
      most = std::max(most, 1 + same / stretch);
    }
  }
  return std::max(3, most + 2);
}

void forbid_repetition(std::span<const int> hypothesis, int allowed, std::span<float> logits,
                       std::span<const int> tokens) {
  const int length = static_cast<int>(hypothesis.size());
  for (int stretch = 1; stretch <= kLongestStretch && stretch * (allowed + 1) - 1 <= length; ++stretch) {
    const auto tail = hypothesis.last(stretch * (allowed + 1) - 1);
    if (!std::equal(tail.begin() + stretch, tail.end(), tail.begin())) continue;
    const int next = hypothesis[length - stretch];
    const size_t at = tokens.empty() ? next : std::find(tokens.begin(), tokens.end(), next) - tokens.begin();
    if (at < logits.size()) logits[at] = -std::numeric_limits<float>::infinity();
  }
}

}  // namespace dragoman
