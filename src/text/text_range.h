#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace dragoman {

/// Bytes [begin, end) of a text.
struct TextRange {
  size_t begin, end;
  size_t size() const { return end - begin; }
  bool operator==(const TextRange&) const = default;
};

/// Turns ranges of `text` into ranges of the UTF-16 that a WHATWG decoder makes of it, which is what JavaScript counts
/// in: an ill-formed sequence is one unit. The ranges end between characters and ascend; one walk over the text serves
/// them all.
void to_utf16(std::string_view text, std::span<TextRange> ranges);

/// Turns ranges of sanitize_utf8(text) into ranges of `text`; otherwise the same.
void to_unsanitized(std::string_view text, std::span<TextRange> ranges);

}  // namespace dragoman
