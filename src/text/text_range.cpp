#include "text/text_range.h"

#include "text/unicode.h"

namespace dragoman {
namespace {

// What lies before a place in a text, or a part of it, in two ways of counting.
struct Counts {
  size_t old, now;
};

// Walks through `text` and recounts each offset on the way. counts_of(bytes, whole) gives what a character, or an
// ill-formed sequence, amounts to.
template <class CountsOf>
void recount(std::string_view text, std::span<TextRange> ranges, CountsOf counts_of) {
  size_t at = 0;
  Counts passed = {0, 0};
  const auto recounted = [&](size_t offset) {
    while (passed.old < offset && at < text.size()) {
      bool whole;
      const size_t bytes = next_sequence(text, at, whole);
      const Counts counts = counts_of(bytes, whole);
      at += bytes;
      passed = {passed.old + counts.old, passed.now + counts.now};
    }
    return passed.now;
  };
  for (TextRange& range : ranges) {
    range.begin = recounted(range.begin);
    range.end = recounted(range.end);
  }
}

}  // namespace

void to_utf16(std::string_view text, std::span<TextRange> ranges) {
  recount(text, ranges, [](size_t bytes, bool whole) { return Counts{bytes, whole && bytes == 4 ? size_t{2} : 1}; });
}

void to_unsanitized(std::string_view text, std::span<TextRange> ranges) {
  recount(text, ranges, [](size_t bytes, bool whole) { return Counts{whole ? bytes : kReplacement.size(), bytes}; });
}

}  // namespace dragoman
