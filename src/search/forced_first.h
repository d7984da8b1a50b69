#pragma once

#include "search/logits_rule.h"

namespace dragoman {

/// Every translation begins with one token, as models of several target languages have it.
class ForcedFirst : public LogitsRule {
 public:
  explicit ForcedFirst(int token) : token_(token) {}
  void apply(const Hypothesis& hypothesis, const NextTokens& next) const override {
    if (!hypothesis.tokens.empty()) return;
    const size_t kept = next.find(token_);
    for (size_t i = 0; i < next.logits.size(); ++i)
      if (i != kept) next.logits[i] = kForbidden;
  }

 private:
  int token_;
};

}  // namespace dragoman
