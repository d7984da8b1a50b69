#pragma once

#include <span>
#include <vector>

#include "base/matrix.h"
#include "model/config.h"
#include "search/hypothesis.h"

namespace dragoman {

/// The cross-attention of one sentence's hypotheses while they are being written, of the heads that align (see
/// Config::alignment_heads) or of all, so that in the end there is what the best of them attended to.
class AttentionRecord {
 public:
  /// pieces: of the source, eos counted (S). width: of the beam. all_heads: keep each for of_heads().
  AttentionRecord(const Config& config, int pieces, int width, bool all_heads = false);

  /// Where the decoder's next step leaves the attention of live hypothesis `i`: [L, H, S].
  float* step_row(int i) { return step_.data() + i * row_size_; }
  /// After that step: keeps its attention. parents: which of the rows of the step before each of its rows extends.
  void keep(std::span<const int> parents);
  /// [T, S] for the first T tokens of a hypothesis of the steps kept: how much each attends to each source piece. A
  /// token looks at what it translates when it is the decoder's input, one step after it was chosen (Chen et al. 2020),
  /// so that the last one of a hypothesis that is not ended, or was cut off, has nothing: zeros.
  Matrix of(const Hypothesis& hypothesis, int tokens) const;
  /// The same of every layer and head, one after the other: [L, H, T, S]. Empty unless they were to be kept.
  std::vector<float> of_heads(const Hypothesis& hypothesis, int tokens) const;

 private:
  struct Step {
    std::vector<int> parents;
    std::vector<float> weights;    // [rows, S], mean of the heads
    std::vector<float> all_heads;  // [rows, L, H, S], or empty
  };

  template <class Each>
  void for_steps_of(const Hypothesis& hypothesis, int tokens, Each each) const;

  std::span<const Head> heads_;
  int heads_in_layer_, pieces_, row_size_;
  bool all_heads_;
  std::vector<float> step_;  // [width, L, H, S]
  std::vector<Step> steps_;
};

}  // namespace dragoman
