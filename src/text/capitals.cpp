#include "text/capitals.h"

#include "text/unicode.h"

namespace dragoman {
namespace {

constexpr int kFewestLetters = 8;  // fewer may be a name: "NASA, ESA"

bool between(char low, char c, char high) {
  return static_cast<unsigned char>(low) <= static_cast<unsigned char>(c) &&
         static_cast<unsigned char>(c) <= static_cast<unsigned char>(high);
}

// Of the two bytes of U+00C0 ... U+00FF the first is C3; the second tells letters from the signs of multiplication and
// division, and small from capital ones, which come 0x20 before.
bool is_capital(std::string_view text, size_t i) {
  if (i > 0 && text[i - 1] == '\xC3') return between('\x80', text[i], '\x9E') && text[i] != '\x97';
  return between('A', text[i], 'Z');
}

bool is_small(std::string_view text, size_t i) {
  if (i > 0 && text[i - 1] == '\xC3') return between('\xA0', text[i], '\xBE') && text[i] != '\xB7';
  return between('a', text[i], 'z');
}

}  // namespace

bool is_in_capitals(std::string_view text) {
  int letters = 0;
  for (size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    if (is_lower(c)) return false;
    letters += is_letter(c) && is_capital(text, at - 1);
  }
  return letters >= kFewestLetters && text.find(' ') != std::string_view::npos;
}

std::string lower_capitals(std::string_view text) {
  std::string lower(text);
  bool first = true;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!is_capital(text, i)) continue;
    if (!first) lower[i] = static_cast<char>(text[i] + 0x20);
    first = false;
  }
  return lower;
}

std::string raise_to_capitals(std::string_view text) {
  std::string raised;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "\xC3\x9F") {
      raised += "SS";
      ++i;
    } else {
      raised += is_small(text, i) ? static_cast<char>(text[i] - 0x20) : text[i];
    }
  }
  return raised;
}

}  // namespace dragoman
