#include "search/next_word.h"

#include "kernels/softmax.h"

namespace dragoman {

void NextWordRule::apply(const Hypothesis& hypothesis, const NextTokens& next) const {
  if (hypothesis.tokens == prefix_->tokens || kinds_[hypothesis.tokens.back()].blank) return;
  const bool open = kinds_[hypothesis.tokens.back()].open;
  int count = 0;
  for (size_t i = 0; i < next.logits.size(); ++i) {
    if (open && kinds_[next.token(i)].continues) continue;
    ends_[count++] = next.logits[i];
    next.logits[i] = kForbidden;
  }
  next.logits[next.find(eos_)] = log_sum_exp(ends_.data(), count);
}

}  // namespace dragoman
