#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// The endings of packed files.
inline constexpr const char* kPackedEndings[] = {".gz", ".zst"};

/// What a gzipped file (RFC 1952) or one of Zstandard (RFC 8878) holds, by the ending of its name; any other as it is.
/// Throws Error(kIo) if it is damaged or unpacks to more than a gigabyte.
std::vector<std::byte> unpack(std::vector<std::byte> file, const std::string& name);

}  // namespace dragoman
