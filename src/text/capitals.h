#pragma once

#include <string>
#include <string_view>

namespace dragoman {

/// Whether a sentence is WRITTEN IN CAPITALS: several words, no small letter. Models have seen little of that.
bool is_in_capitals(std::string_view text);

/// Small letters for all but the first one; of the alphabets of Latin-1. text: valid UTF-8; keeps its length.
std::string lower_capitals(std::string_view text);

/// Capitals, "SS" for sharp s; of the alphabets of Latin-1. text: valid UTF-8; keeps its length in bytes, and a prefix
/// of it gives a prefix of the result.
std::string raise_to_capitals(std::string_view text);

}  // namespace dragoman
