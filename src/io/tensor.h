#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

/// A file that claims a tensor of more dimensions is damaged.
constexpr uint64_t kMaxDimensions = 8;

enum class TensorType { kF32, kF16, kI8, kU16 };

/// A named array inside the caller's bytes: nothing is copied. The bytes are writable so that the owner may repack a
/// tensor where it lies; they have no alignment.
struct Tensor {
  TensorType type;
  std::vector<int64_t> shape;
  std::span<std::byte> bytes;
  float scale = 0;  // of kI8: one for all its values, where the format has that; 0: it has another
};

}  // namespace dragoman
