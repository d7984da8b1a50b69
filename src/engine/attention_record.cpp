#include "engine/attention_record.h"

#include <algorithm>

namespace dragoman {

AttentionRecord::AttentionRecord(const Config& config, int pieces, int width, bool all_heads)
    : heads_(config.alignment_heads),
      heads_in_layer_(config.decoder_heads),
      pieces_(pieces),
      row_size_(config.decoder_layers * config.decoder_heads * pieces),
      all_heads_(all_heads),
      step_(static_cast<size_t>(width) * row_size_) {}

void AttentionRecord::keep(std::span<const int> parents) {
  Step step{{parents.begin(), parents.end()}, std::vector<float>(parents.size() * pieces_), {}};
  if (all_heads_) step.all_heads.assign(step_.begin(), step_.begin() + std::ptrdiff_t(parents.size() * row_size_));
  for (size_t row = 0; row < parents.size(); ++row) {
    Vector::MapType mean(&step.weights[row * pieces_], pieces_);
    for (const auto& [layer, head] : heads_)
      mean += Vector::Map(step_row(static_cast<int>(row)) + (layer * heads_in_layer_ + head) * pieces_, pieces_);
    mean /= static_cast<float>(heads_.size());
  }
  steps_.push_back(std::move(step));
}

// each(token, step that read it, its row there), of the first tokens.
template <class Each>
void AttentionRecord::for_steps_of(const Hypothesis& hypothesis, int tokens, Each each) const {
  // Token t is the input of step t + 1; if the hypothesis ended, step `length` was its last, else the one before.
  const int length = static_cast<int>(hypothesis.tokens.size());
  int row = hypothesis.parent;
  for (int step = hypothesis.ended ? length : length - 1; step > 0; --step) {
    if (step <= tokens) each(step - 1, steps_[step], row);
    row = steps_[step].parents[row];
  }
}

Matrix AttentionRecord::of(const Hypothesis& hypothesis, int tokens) const {
  Matrix weights = Matrix::Zero(tokens, pieces_);
  for_steps_of(hypothesis, tokens, [&](int token, const Step& step, int row) {
    weights.row(token) = Vector::Map(&step.weights[row * pieces_], pieces_);
  });
  return weights;
}

std::vector<float> AttentionRecord::of_heads(const Hypothesis& hypothesis, int tokens) const {
  if (!all_heads_) return {};
  const size_t length = tokens, heads = row_size_ / pieces_;
  std::vector<float> weights(heads * length * pieces_);
  for_steps_of(hypothesis, tokens, [&](int token, const Step& step, int row) {
    for (size_t head = 0; head < heads; ++head)
      std::copy_n(&step.all_heads[row * row_size_ + head * pieces_], pieces_,
                  &weights[(head * length + token) * pieces_]);
  });
  return weights;
}

}  // namespace dragoman
