#include "text/unicode.h"

namespace dragoman {
namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Length that a lead byte announces, 0 if it cannot lead.
size_t announced_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2) return 0;
  return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
}

// The second byte excludes overlong forms, surrogates and values past U+10FFFF (Unicode 15, table 3-7).
bool second_byte_fits(unsigned char lead, unsigned char second) {
  const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  return low <= second && second <= high;
}

}  // namespace

char32_t next_code_point(std::string_view text, size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at++]);
  if (lead < 0x80) return lead;
  char32_t c = lead & (lead < 0xE0 ? 0x1F : lead < 0xF0 ? 0x0F : 0x07);
  while (at < text.size() && is_continuation(text[at])) c = c << 6 | (static_cast<unsigned char>(text[at++]) & 0x3F);
  return c;
}

size_t next_sequence(std::string_view text, size_t at, bool& whole) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const size_t length = announced_length(lead);
  size_t n = 1;
  while (n < length && at + n < text.size() && is_continuation(text[at + n]) &&
         (n > 1 || second_byte_fits(lead, static_cast<unsigned char>(text[at + 1])))) {
    ++n;
  }
  whole = n == length;
  return n;
}

std::string sanitize_utf8(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    bool whole;
    const size_t n = next_sequence(text, at, whole);
    clean.append(whole ? text.substr(at, n) : kReplacement);
    at += n;
  }
  return clean;
}

size_t complete_prefix(std::string_view text) {
  size_t start = text.size();
  while (start > 0 && is_continuation(text[start - 1])) --start;
  if (start == 0) return 0;
  const size_t length = announced_length(static_cast<unsigned char>(text[start - 1]));
  return start - 1 + length <= text.size() ? text.size() : start - 1;
}

bool is_blank(char32_t c) {
  return c <= 0x20 || (0x7F <= c && c <= 0xA0) || c == 0x1680 || (0x2000 <= c && c <= 0x200F) ||
         (0x2028 <= c && c <= 0x202F) || (0x205F <= c && c <= 0x206F) || c == 0x3000 || c == 0xFEFF;
}

bool is_letter(char32_t c) {
  if (c < 0x80) return ('a' <= (c | 0x20)) && ((c | 0x20) <= 'z');
  if (c < 0x2000) return c == 0xAA || c == 0xB5 || c == 0xBA || (c >= 0xC0 && c != 0xD7 && c != 0xF7);
  return (0x2C00 <= c && c < 0x2E00) || (0x3005 <= c && c <= 0x3007) || (0x3031 <= c && c < 0xD800) ||
         (0xF900 <= c && c < 0xFE00) || (0xFE70 <= c && c < 0xFEFF) || (0xFF21 <= c && c <= 0xFF3A) ||
         (0xFF41 <= c && c <= 0xFF5A) || (0xFF66 <= c && c <= 0xFFDC) || (0x10000 <= c && c < 0x1D000) ||
         (0x20000 <= c && c < 0x3FFFF);
}

bool is_lower(char32_t c) {
  if (c < 0x80) return 'a' <= c && c <= 'z';
  if (c < 0x100) return c >= 0xDF && c != 0xF7;
  if (c < 0x180) return c % 2 == (((0x139 <= c && c <= 0x148) || c >= 0x179) ? 0 : 1);  // pairs: capital, small
  return (0x3B1 <= c && c <= 0x3CE) || (0x430 <= c && c <= 0x45F);
}

}  // namespace dragoman
