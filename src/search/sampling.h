#pragma once

#include <cstdint>
#include <vector>

#include "search/logits_rule.h"

namespace dragoman {

/// How a token is drawn in place of the likeliest.
struct Sampling {
  float temperature = 0;  // logits are divided by it, 0..100; 0: nothing is drawn
  int top_k = 0;          // of the so many likeliest; 0: of all
  float top_p = 1;        // of the fewest that are together as probable as this, 0..1
  uint32_t seed = 0;      // the same seed, the same text, everywhere
};

/// Leaves one token, drawn by chance: the last of the rules. What chance says depends on seed, sentence and position
/// alone.
class SamplingRule final : public LogitsRule {
 public:
  /// sentence: its number in the text, so that no two sentences meet the same chance. vocabulary: of the model.
  SamplingRule(const Sampling& sampling, size_t sentence, int vocabulary)
      : sampling_(sampling), sentence_(sentence), probabilities_(vocabulary), likeliest_(vocabulary) {}
  void apply(const Hypothesis& hypothesis, const NextTokens& next) const override;

 private:
  Sampling sampling_;
  size_t sentence_;
  mutable std::vector<float> probabilities_;  // scratch
  mutable std::vector<int> likeliest_;        // scratch
};

}  // namespace dragoman
