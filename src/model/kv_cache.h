#pragma once

#include <vector>

#include "model/config.h"

namespace dragoman {

/// Keys and values of one attention input, position by position, for each decoder layer.
class KvCache {
 public:
  /// Empty, with room for `capacity` positions.
  KvCache(const Config& config, int capacity)
      : width_(width(config)), capacity_(capacity), data_(bytes(config, capacity) / sizeof(float)) {}

  /// What a cache of `capacity` positions takes.
  static size_t bytes(const Config& config, int capacity) {
    return sizeof(float) * 2 * config.decoder_layers * width(config) * capacity;
  }

  int length() const { return length_; }
  int capacity() const { return capacity_; }
  void set_length(int length) { length_ = length; }
  size_t bytes() const { return data_.size() * sizeof(float); }
  /// Takes over the positions of another cache of the same capacity.
  void assign(const KvCache& other);

  float* keys(int layer) { return data_.data() + block(2 * layer); }        // [capacity, A]
  float* values(int layer) { return data_.data() + block(2 * layer + 1); }  // [capacity, A]
  const float* keys(int layer) const { return data_.data() + block(2 * layer); }
  const float* values(int layer) const { return data_.data() + block(2 * layer + 1); }

 private:
  static int width(const Config& config) { return config.decoder_heads * config.decoder_head_width; }
  size_t block(int i) const { return static_cast<size_t>(i) * capacity_ * width_; }

  int width_, capacity_, length_ = 0;
  std::vector<float> data_;  // [layers, keys | values, capacity, A]
};

}  // namespace dragoman
