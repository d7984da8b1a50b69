#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "text/text_range.h"

namespace dragoman {

/// Longest stretch of text that is handed to the model as one sentence. A longer one is a word of ASCII of more bytes:
/// data (a key, a file in base64) that no model should see.
inline constexpr size_t kMaxSentenceBytes = 600;

/// Sentences of valid UTF-8 `text`, in order, without the blanks around them; what lies between two ranges is blank, or
/// nothing where a stretch longer than kMaxSentenceBytes had to be cut.
/// A sentence ends at a line break, or at . ! ? and their kin with closing quotes and brackets, when a blank follows
/// and the next word does not begin in lower case; not after an initial, nor where `language` (BCP 47) does not end
/// one: see abbreviations.h.
std::vector<TextRange> split_sentences(std::string_view text, std::string_view language);

/// Where to cut `range` so that the first part has at most `most` (>= 4) bytes: after the last clause mark, else blank,
/// else code point. The cut is past the begin and before the end. Requires range.size() > most.
size_t cut_point(std::string_view text, TextRange range, size_t most);

/// `range` without the blanks at its ends; empty (begin == end) if it is all blank.
TextRange trim(std::string_view text, TextRange range);

}  // namespace dragoman
