#include "search/greedy.h"

#include "kernels/argmax.h"
#include "kernels/softmax.h"

namespace dragoman {

void extend_greedily(Hypothesis& hypothesis, const float* logits, int vocabulary, const GreedyOptions& options) {
  const int token = argmax(logits, vocabulary);
  if (options.score) hypothesis.log_probability += logits[token] - log_sum_exp(logits, vocabulary);
  if (token == options.eos) {
    hypothesis.finished = true;
    return;
  }
  hypothesis.tokens.push_back(token);
  hypothesis.finished = static_cast<int>(hypothesis.tokens.size()) >= options.limit;
}

}  // namespace dragoman
