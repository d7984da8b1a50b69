#include "text/sentence_splitter.h"

#include <algorithm>
#include <span>

#include "text/abbreviations.h"
#include "text/unicode.h"

namespace dragoman {
namespace {

bool is_terminator(char32_t c) {
  return c == '.' || c == '!' || c == '?' || c == 0x2026 || c == 0x3002 || c == 0xFF01 || c == 0xFF1F;
}

bool is_closer(char32_t c) {
  return c == '"' || c == '\'' || c == ')' || c == ']' || c == 0xBB || c == 0xAB || (0x2018 <= c && c <= 0x201F) ||
         c == 0x203A || c == 0x2039;
}

bool is_line_break(char32_t c) {
  return c == '\n' || c == '\r' || c == 0x0B || c == 0x0C || c == 0x85 || c == 0x2028 || c == 0x2029;
}

bool is_ascii_digit(char c) { return '0' <= c && c <= '9'; }

bool contains(std::span<const std::string_view> list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// Whether the full stop at text[dot] belongs to the word before it; `next` is the first byte of the word behind it.
bool is_abbreviation(std::string_view text, size_t begin, size_t dot, char next, const Abbreviations& known) {
  size_t start = dot;
  while (start > begin && static_cast<unsigned char>(text[start - 1]) > ' ' && text[start - 1] != '(') --start;
  const std::string_view word = text.substr(start, dot - start);
  if (word.empty()) return false;
  if (contains(known.before_numbers, word)) return is_ascii_digit(next);
  // An initial, or a part of "z. B.", "u. a.".
  if (word.size() == 1 && !is_ascii_digit(word[0])) return word != "I";
  // Longer numbers are years, which end sentences.
  if (known.ordinals && word.size() <= 2 && std::all_of(word.begin(), word.end(), is_ascii_digit)) return true;
  return contains(known.words, word);
}

// If a sentence ends with the terminator before text[at], the end of it (past closing marks), else 0.
size_t sentence_end(std::string_view text, size_t begin, size_t terminator, size_t at, const Abbreviations& known) {
  const bool full_width = static_cast<unsigned char>(text[terminator]) >= 0xE3;  // CJK: no blank needs to follow
  size_t end = at;
  for (size_t next = at; next < text.size(); end = next) {
    const char32_t c = next_code_point(text, next);
    if (!is_terminator(c) && !is_closer(c)) break;
  }
  if (end == text.size() || full_width) return end;
  size_t next = end;
  if (!is_blank(next_code_point(text, next))) return 0;
  if (next == text.size()) return end;
  char32_t c = ' ';
  size_t word = next;
  while (next < text.size() && (is_blank(c) || is_closer(c) || c == '(' || c == '[')) {
    word = next;
    c = next_code_point(text, next);
  }
  if (is_lower(c)) return 0;
  if (text[terminator] == '.' && end == at && is_abbreviation(text, begin, terminator, text[word], known)) return 0;
  return end;
}

// The first word of ASCII in `range` that is longer than kMaxSentenceBytes; empty, at the range's end, if there is
// none.
TextRange find_data(std::string_view text, TextRange range) {
  size_t begin = range.begin;
  for (size_t at = range.begin; at < range.end; ++at) {
    const auto c = static_cast<unsigned char>(text[at]);
    if (c < 0x80 && !is_blank(c)) continue;
    if (at - begin > kMaxSentenceBytes) return {begin, at};
    begin = at + 1;
  }
  if (range.end - begin > kMaxSentenceBytes) return {begin, range.end};
  return {range.end, range.end};
}

// Appends `range` in parts of at most kMaxSentenceBytes.
void append_parts(std::string_view text, TextRange range, std::vector<TextRange>& sentences) {
  range = trim(text, range);
  while (range.size() > kMaxSentenceBytes) {
    const size_t cut = cut_point(text, range, kMaxSentenceBytes);
    sentences.push_back(trim(text, {range.begin, cut}));
    range = trim(text, {cut, range.end});
  }
  if (range.size() > 0) sentences.push_back(range);
}

// Appends `range`, data as sentences of their own.
void append(std::string_view text, TextRange range, std::vector<TextRange>& sentences) {
  while (range.size() > kMaxSentenceBytes) {
    const TextRange data = find_data(text, range);
    append_parts(text, {range.begin, data.begin}, sentences);
    if (data.size() > 0) sentences.push_back(data);
    range.begin = data.end;
  }
  append_parts(text, range, sentences);
}

}  // namespace

TextRange trim(std::string_view text, TextRange range) {
  while (range.begin < range.end) {
    size_t next = range.begin;
    if (!is_blank(next_code_point(text, next))) break;
    range.begin = next;
  }
  while (range.begin < range.end) {
    size_t last = range.end - 1;
    while ((static_cast<unsigned char>(text[last]) & 0xC0) == 0x80) --last;
    size_t next = last;
    if (!is_blank(next_code_point(text, next))) break;
    range.end = last;
  }
  return range;
}

size_t cut_point(std::string_view text, TextRange range, size_t most) {
  size_t clause = 0, blank = 0, any = 0;
  bool after_mark = false;
  for (size_t at = range.begin; at - range.begin <= most;) {
    if (at > range.begin) any = at;
    const char32_t c = next_code_point(text, at);
    if (is_blank(c) && any) {
      if (after_mark) clause = any;
      blank = any;
    }
    after_mark = c == ',' || c == ';' || c == ':' || c == 0x2013 || c == 0x2014 || c == 0x3001 || c == 0xFF0C;
  }
  // A clause mark far to the front would leave a stub: then a blank is the better place.
  if (clause > range.begin + most / 3) return clause;
  return blank ? blank : any;
}

std::vector<TextRange> split_sentences(std::string_view text, std::string_view language) {
  const Abbreviations& known = abbreviations_of(language);
  std::vector<TextRange> sentences;
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t here = at;
    const char32_t c = next_code_point(text, at);
    size_t end = 0;
    if (is_line_break(c)) {
      end = at;
    } else if (is_terminator(c)) {
      end = sentence_end(text, begin, here, at, known);
    }
    if (end) {
      append(text, {begin, end}, sentences);
      begin = at = end;
    }
  }
  append(text, {begin, text.size()}, sentences);
  return sentences;
}

}  // namespace dragoman
