#include "search/greedy.h"

#include "kernels/argmax.h"
#include "kernels/softmax.h"

namespace dragoman {

void extend_greedily(Hypothesis& hypothesis, std::span<const float> logits, std::span<const int> tokens,
                     const GreedyOptions& options) {
  const int count = static_cast<int>(logits.size()), best = argmax(logits.data(), count);
  if (options.score) hypothesis.log_probability += logits[best] - log_sum_exp(logits.data(), count);
  const int token = tokens.empty() ? best : tokens[best];
  if (token == options.eos) {
    hypothesis.finished = true;
    return;
  }
  hypothesis.tokens.push_back(token);
  hypothesis.finished = static_cast<int>(hypothesis.tokens.size()) >= options.limit;
}

}  // namespace dragoman
