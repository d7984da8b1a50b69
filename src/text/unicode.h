#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dragoman {

/// The code point at text[at] of valid UTF-8; advances `at` past it.
char32_t next_code_point(std::string_view text, size_t& at);

/// U+FFFD, which stands for what cannot be read.
inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Bytes of the code point at text[at], or of the ill-formed sequence there that counts as one (a maximal subpart);
/// `whole` says which.
size_t next_sequence(std::string_view text, size_t at, bool& whole);

/// `text` with every ill-formed sequence replaced by U+FFFD, as the WHATWG decoder does (one per maximal subpart).
std::string sanitize_utf8(std::string_view text);

/// Bytes of the longest prefix of `text` (valid UTF-8 but for a cut-off end) that ends between code points.
size_t complete_prefix(std::string_view text);

/// White space and control characters: nothing to translate, nothing to see.
bool is_blank(char32_t c);

/// Letters of any script, by blocks rather than by character: good enough to tell words from numbers, punctuation and
/// emoji.
bool is_letter(char32_t c);

/// Lower case of Latin, Greek and Cyrillic.
bool is_lower(char32_t c);

}  // namespace dragoman
