#pragma once

#include <memory>
#include <vector>

#include "search/logits_rule.h"

namespace dragoman {

/// What a translation has to begin with.
struct Prefix {
  std::vector<int> tokens;
  /// What may stand in the place of each, and behind the last: the tokens that write all that is left of the prefix,
  /// and more. Each list ascends. [tokens + 1]; nothing behind the last: anything may follow.
  std::vector<std::vector<int>> beyond;

  /// Whether what the hypothesis says next is for the prefix to decide.
  bool decides(const Hypothesis& hypothesis) const;
};

/// Allows what continues the prefix and nothing else. What comes after it is left to other rules, which do not see
/// the prefix.
class PrefixRule final : public LogitsRule {
 public:
  PrefixRule(std::shared_ptr<const Prefix> prefix, LogitsRules then)
      : prefix_(std::move(prefix)), then_(std::move(then)) {}
  void apply(const Hypothesis& hypothesis, const NextTokens& next) const override;

 private:
  std::shared_ptr<const Prefix> prefix_;
  LogitsRules then_;
};

}  // namespace dragoman
