#pragma once

#include <span>
#include <vector>

#include "model/config.h"
#include "model/kv_cache.h"

namespace dragoman {

/// What one hypothesis remembers of the target so far, for each decoder layer: the keys and values of every position,
/// or, with SSRUs, one cell whatever its length.
class DecoderState {
 public:
  /// Of no position, with room for `capacity` of them.
  DecoderState(const Config& config, int capacity);

  /// What a state of `capacity` positions takes.
  static size_t bytes(const Config& config, int capacity);

  int length() const { return length_; }
  int capacity() const { return capacity_; }
  size_t bytes() const { return cache_.bytes() + cells_.size() * sizeof(float); }
  /// After the last layer of a step.
  void advance() { cache_.set_length(++length_); }
  /// Takes over the positions of another state of the same capacity.
  void assign(const DecoderState& other);

  KvCache& cache() { return cache_; }                                              // of DecoderUnit::kSelfAttention
  float* cell(int layer) { return &cells_[static_cast<size_t>(layer) * width_]; }  // [D], of DecoderUnit::kSsru

 private:
  int width_, capacity_, length_ = 0;
  KvCache cache_;             // the one
  std::vector<float> cells_;  // [L, D], or the other
};

/// Makes states[i] what states[parents[i]] was, for all i below parents.size() <= states.size(). A parent's first child
/// takes its state, only others copy.
void reorder(std::vector<DecoderState>& states, std::span<const int> parents);

}  // namespace dragoman
