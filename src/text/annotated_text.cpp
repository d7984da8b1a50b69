#include "text/annotated_text.h"

#include <algorithm>

#include "text/unicode.h"

namespace dragoman {
namespace {

// Scripts that are written without blanks: a character is the next best thing to a word.
bool is_ideograph(char32_t c) {
  return (0x3005 <= c && c <= 0x30FF) || (0x3400 <= c && c <= 0x9FFF) || (0xF900 <= c && c <= 0xFAFF) ||
         (0x20000 <= c && c <= 0x3FFFF);
}

bool is_digit(char32_t c) { return U'0' <= c && c <= U'9'; }

bool is_word_character(char32_t c) { return is_digit(c) || (is_letter(c) && !is_ideograph(c)); }

// Whether c, between a word character and `next`, is within a word.
bool joins(char32_t c, char32_t next) {
  if (c == ',' || c == ':') return is_digit(next);
  return (c == '\'' || c == '-' || c == '.' || c == 0x2010 || c == 0x2011 || c == 0x2019) && is_word_character(next);
}

// Marks, variation selectors, skin tones: part of the character before them.
bool is_modifier(char32_t c) {
  return (0x300 <= c && c <= 0x36F) || (0x20D0 <= c && c <= 0x20FF) || c == 0x3099 || c == 0x309A ||
         (0xFE00 <= c && c <= 0xFE0F) || (0x1F3FB <= c && c <= 0x1F3FF);
}

constexpr char32_t kJoinedTo = 0x200D;  // makes one symbol of two

// Past the word that begins with the visible character c, of which `at` is the end.
size_t word_end(std::string_view text, char32_t c, size_t at, size_t end) {
  const bool letters = is_word_character(c);
  while (at < end) {
    size_t next = at;
    c = next_code_point(text, next);
    size_t after = next;
    const char32_t following = next < end ? next_code_point(text, after) : U' ';
    if (is_modifier(c) || (letters && is_word_character(c))) {
      at = next;
    } else if (letters ? joins(c, following) : c == kJoinedTo && !is_blank(following)) {
      at = after;
    } else {
      break;
    }
  }
  return at;
}

}  // namespace

void AnnotatedText::add(TextRange sentence, std::span<const TextRange> its_pieces) {
  sentences.push_back(sentence);
  for (const TextRange& piece : its_pieces)
    pieces.push_back({sentence.begin + piece.begin, sentence.begin + piece.end});
  first_piece.push_back(pieces.size());
}

std::span<const TextRange> AnnotatedText::pieces_of(size_t sentence) const {
  return std::span(pieces).subspan(first_piece[sentence], first_piece[sentence + 1] - first_piece[sentence]);
}

std::pair<size_t, size_t> pieces_of_word(TextRange word, std::span<const TextRange> pieces) {
  const auto first = std::partition_point(pieces.begin(), pieces.end(), [&](const TextRange& p) {
    return p.size() > 0 ? p.end <= word.begin : p.end < word.begin;
  });
  const auto end = std::partition_point(first, pieces.end(), [&](const TextRange& p) { return p.begin < word.end; });
  return {first - pieces.begin(), end - pieces.begin()};
}

std::vector<TextRange> words(std::string_view text, TextRange sentence) {
  std::vector<TextRange> found;
  for (size_t at = sentence.begin; at < sentence.end;) {
    const size_t begin = at;
    const char32_t c = next_code_point(text, at);
    if (is_blank(c)) continue;
    at = word_end(text, c, at, sentence.end);
    found.push_back({begin, at});
  }
  return found;
}

}  // namespace dragoman
