#include "engine/attention_record.h"

namespace dragoman {

AttentionRecord::AttentionRecord(const Config& config, int pieces, int width)
    : heads_(config.alignment_heads),
      heads_in_layer_(config.decoder_heads),
      pieces_(pieces),
      row_size_(config.decoder_layers * config.decoder_heads * pieces),
      step_(static_cast<size_t>(width) * row_size_) {}

void AttentionRecord::keep(std::span<const int> parents) {
  Step step{{parents.begin(), parents.end()}, std::vector<float>(parents.size() * pieces_)};
  for (size_t row = 0; row < parents.size(); ++row) {
    Vector::MapType mean(&step.weights[row * pieces_], pieces_);
    for (const auto& [layer, head] : heads_)
      mean += Vector::Map(step_row(static_cast<int>(row)) + (layer * heads_in_layer_ + head) * pieces_, pieces_);
    mean /= static_cast<float>(heads_.size());
  }
  steps_.push_back(std::move(step));
}

Matrix AttentionRecord::of(const Hypothesis& hypothesis) const {
  const int length = static_cast<int>(hypothesis.tokens.size());
  Matrix weights = Matrix::Zero(length, pieces_);
  // Token t is the input of step t + 1; if the hypothesis ended, step `length` was its last, else the one before.
  int row = hypothesis.parent;
  for (int step = hypothesis.ended ? length : length - 1; step > 0; --step) {
    weights.row(step - 1) = Vector::Map(&steps_[step].weights[row * pieces_], pieces_);
    row = steps_[step].parents[row];
  }
  return weights;
}

}  // namespace dragoman
