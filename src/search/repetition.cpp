#include "search/repetition.h"

#include <algorithm>

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

void RepetitionRule::apply(const Hypothesis& hypothesis, const NextTokens& next) const {
  const std::span<const int> tokens = hypothesis.tokens;
  const int length = static_cast<int>(tokens.size());
  for (int stretch = 1; stretch <= kLongestStretch && stretch * (allowed_ + 1) - 1 <= length; ++stretch) {
    const auto tail = tokens.last(stretch * (allowed_ + 1) - 1);
    if (std::equal(tail.begin() + stretch, tail.end(), tail.begin())) next.forbid(tokens[length - stretch]);
  }
}

}  // namespace dragoman
