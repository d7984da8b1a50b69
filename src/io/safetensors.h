#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

enum class TensorType { kF32, kF16, kI8, kU16 };

/// A named array inside the caller's bytes: nothing is copied. The bytes are writable so that the owner may repack a
/// tensor where it lies; they have no alignment.
struct Tensor {
  TensorType type;
  std::vector<int64_t> shape;
  std::span<std::byte> bytes;
};

/// The tensors of a safetensors file by name (format: 8 bytes little-endian header length, JSON header, data).
///
/// Every claim of the header is checked against the bytes: lengths, types, shapes, and that the tensors cover the data
/// section without holes or overlaps. If the header's metadata holds "xxh64", the hash of the data section must match
/// it. Throws Error(kBadModel).
std::map<std::string, Tensor> parse_safetensors(std::span<std::byte> file);

}  // namespace dragoman
