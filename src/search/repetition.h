#pragma once

#include <span>

#include "search/logits_rule.h"

namespace dragoman {

/// How often in a row a stretch of tokens may stand in the translation of `source` before that counts as a model
/// running in a circle: three times, or two times more than in the source.
int allowed_repetitions(std::span<const int> source);

/// Forbids the tokens that would make a stretch stand at the end of the hypothesis more than `allowed` times in a row.
class RepetitionRule final : public LogitsRule {
 public:
  explicit RepetitionRule(int allowed) : allowed_(allowed) {}
  void apply(const Hypothesis& hypothesis, const NextTokens& next) const override;

 private:
  int allowed_;
};

}  // namespace dragoman
