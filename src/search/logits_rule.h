#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "search/hypothesis.h"

namespace dragoman {

/// The logit of a token that must not be chosen.
inline constexpr float kForbidden = -std::numeric_limits<float>::infinity();

/// What the next token of a hypothesis may be: a logit for each of `tokens`, or, if that is empty, for each of the
/// vocabulary.
struct NextTokens {
  std::span<float> logits;
  std::span<const int> tokens;

  int token(size_t i) const { return tokens.empty() ? static_cast<int>(i) : tokens[i]; }
  /// Where the token's logit is; logits.size() if the token is not on the list.
  size_t find(int token) const {
    return tokens.empty() ? token : std::find(tokens.begin(), tokens.end(), token) - tokens.begin();
  }
  void forbid(int token) const {
    if (const size_t i = find(token); i < logits.size()) logits[i] = kForbidden;
  }
};

/// Changes the logits of a hypothesis's next token before one is chosen: the one place for what the model's own word is
/// not enough for. A rule belongs to a sentence. It is asked once a step for every hypothesis, by greedy and beam
/// search alike, allocates nothing, and remembers no hypothesis: all that it needs to know is in the tokens. The
/// probabilities that are reported stay the model's.
class LogitsRule {
 public:
  virtual ~LogitsRule() = default;
  virtual void apply(const Hypothesis& hypothesis, const NextTokens& next) const = 0;
};

/// Applied from front to back.
using LogitsRules = std::vector<std::unique_ptr<const LogitsRule>>;

}  // namespace dragoman
