#pragma once

#include <span>
#include <string_view>

namespace dragoman {

/// Where a full stop does not end a sentence, in one language. To add a language: a list and a row in
/// abbreviations.cpp, and its cases in tests/core/text_test.cpp.
struct Abbreviations {
  std::string_view language;                         // ISO 639; empty: any other
  std::span<const std::string_view> words;           // without the last full stop: a title, a month, "e.g"
  std::span<const std::string_view> before_numbers;  // only there: "No. 5", but "No."
  bool ordinals;                                     // "am 3. Oktober": numbers of up to two digits
};

/// Those of a BCP 47 tag's language; if it has none of its own, what is international.
const Abbreviations& abbreviations_of(std::string_view language);

}  // namespace dragoman
