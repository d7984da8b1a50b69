#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "io/tensor.h"

namespace dragoman {

/// The tensors of a safetensors file by name (format: 8 bytes little-endian header length, JSON header, data).
///
/// Every claim of the header is checked against the bytes: lengths, types, shapes, and that the tensors cover the data
/// section without holes or overlaps. If the header's metadata holds "xxh64", the hash of the data section must match
/// it. Throws Error(kBadModel).
std::map<std::string, Tensor> parse_safetensors(std::span<std::byte> file);

}  // namespace dragoman
