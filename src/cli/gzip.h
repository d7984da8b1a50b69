#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// What a gzip file (RFC 1952) holds; name: of the file, for errors. Throws Error(kIo) if it is damaged, or would be
/// larger than any model.
std::vector<std::byte> gunzip(std::span<const std::byte> file, const std::string& name);

}  // namespace dragoman
