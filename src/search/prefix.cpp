#include "search/prefix.h"

#include <algorithm>

namespace dragoman {

bool Prefix::decides(const Hypothesis& hypothesis) const {
  const size_t length = hypothesis.tokens.size();
  return length <= tokens.size() && (length < tokens.size() || !beyond.back().empty()) &&
         std::equal(hypothesis.tokens.begin(), hypothesis.tokens.end(), tokens.begin());
}

void PrefixRule::apply(const Hypothesis& hypothesis, const NextTokens& next) const {
  if (!prefix_->decides(hypothesis)) {
    for (const auto& rule : then_) rule->apply(hypothesis, next);
    return;
  }
  const size_t at = hypothesis.tokens.size();
  const std::vector<int>& beyond = prefix_->beyond[at];
  for (size_t i = 0; i < next.logits.size(); ++i) {
    const int token = next.token(i);
    const bool is_next = at < prefix_->tokens.size() && token == prefix_->tokens[at];
    if (!is_next && !std::binary_search(beyond.begin(), beyond.end(), token)) next.logits[i] = kForbidden;
  }
}

}  // namespace dragoman
