#include "text/moses.h"

#include <algorithm>

#include "text/unicode.h"

namespace dragoman {
namespace {

constexpr char32_t kDotOfMany = 0xE000;  // within the splitter, one of "..."

// Perl's character classes, for the scripts that is_letter tells apart.
bool is_numeral(char32_t c) {
  return (U'0' <= c && c <= U'9') || c == 0xB2 || c == 0xB3 || c == 0xB9 || (0xBC <= c && c <= 0xBE) ||
         (0x660 <= c && c <= 0x669) || (0x6F0 <= c && c <= 0x6F9) || (0x966 <= c && c <= 0x96F) ||
         (0xFF10 <= c && c <= 0xFF19);
}

bool is_punctuation_among_letters(char32_t c) {
  return c == 0x37E || c == 0x387 || (0x55A <= c && c <= 0x55F) || c == 0x589 || c == 0x58A || c == 0x5BE ||
         c == 0x5C0 || c == 0x5C3 || c == 0x5F3 || c == 0x5F4 || (0x600 <= c && c <= 0x60F) || c == 0x61B ||
         c == 0x61E || c == 0x61F || (0x66A <= c && c <= 0x66D) || c == 0x6D4 || c == 0x964 || c == 0x965;
}

bool is_alpha(char32_t c) { return is_letter(c) && !is_numeral(c) && !is_punctuation_among_letters(c); }

bool is_cjk(char32_t c) {
  return (0x1100 <= c && c <= 0x11FF) || (0x2E80 <= c && c <= 0xA4CF) || (0xA840 <= c && c <= 0xD7AF) ||
         (0xF900 <= c && c <= 0xFAFF) || (0xFE30 <= c && c <= 0xFE4F) || (0xFF65 <= c && c <= 0xFFDC) ||
         (0x20000 <= c && c <= 0x2FFFF);
}

bool is_currency(char32_t c) { return c == U'$' || (0xA2 <= c && c <= 0xA5) || (0x20A0 <= c && c <= 0x20CF); }

void separate(MosesLetter letter, MosesWord& out) {
  const size_t before = out.back().end;
  out.push_back({U' ', before});
  out.push_back(letter);
  out.push_back({U' ', letter.end});
}

// The text with one blank around each special character, of which " ' ` , -" and full stops wait for what follows.
MosesWord separate_specials(std::string_view text) {
  MosesWord out = {{U' ', 0}};
  for (size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    if (is_blank(c)) {
      out.push_back({U' ', at});
    } else if (is_alpha(c) || is_numeral(c) || c == U'.' || c == U'\'' || c == U'`' || c == U',' || c == U'-') {
      out.push_back({c, at});
    } else {
      separate({c, at}, out);
    }
  }
  out.push_back({U' ', text.size()});
  return out;
}

// Two full stops and more are one word.
MosesWord separate_dots(const MosesWord& in) {
  MosesWord out;
  for (size_t i = 0; i < in.size();) {
    size_t end = i;
    while (end < in.size() && in[end].c == U'.') ++end;
    if (end - i < 2) {
      out.push_back(in[i++]);
      continue;
    }
    out.push_back({U' ', out.back().end});
    for (; i < end; ++i) out.push_back({kDotOfMany, in[i].end});
    out.push_back({U' ', out.back().end});
  }
  return out;
}

// A comma is a word but between two numerals.
MosesWord separate_commas(const MosesWord& in) {
  MosesWord out;
  for (size_t i = 0; i < in.size(); ++i) {
    if (in[i].c == U',' && !(is_numeral(in[i - 1].c) && is_numeral(in[i + 1].c)))
      separate(in[i], out);
    else
      out.push_back(in[i]);
  }
  return out;
}

// One of Perl's substitutions s/(A)'(B)/.../g: blanks before and behind the apostrophe. What has matched once is not
// looked at again.
template <class Before, class Behind>
MosesWord apostrophes(const MosesWord& in, Before is_before, Behind is_behind, bool blank_before, bool blank_behind) {
  MosesWord out;
  for (size_t i = 0; i < in.size(); ++i) {
    out.push_back(in[i]);
    if (i + 2 >= in.size() || in[i + 1].c != U'\'' || !is_before(in[i].c) || !is_behind(in[i + 2].c)) continue;
    if (blank_before) out.push_back({U' ', in[i].end});
    out.push_back(in[i + 1]);
    if (blank_behind) out.push_back({U' ', in[i + 1].end});
    out.push_back(in[i + 2]);
    i += 2;
  }
  return out;
}

MosesWord separate_apostrophes(MosesWord text, std::string_view language) {
  const auto is_other = [](char32_t c) { return !is_alpha(c); };
  const auto is_neither = [](char32_t c) { return !is_alpha(c) && !is_numeral(c); };
  if (language == "en") {
    text = apostrophes(text, is_other, is_other, true, true);
    text = apostrophes(text, is_neither, is_alpha, true, true);
    text = apostrophes(text, is_alpha, is_other, true, true);
    text = apostrophes(text, is_alpha, is_alpha, true, false);
    return apostrophes(
        text, is_numeral, [](char32_t c) { return c == U's'; }, true, false);
  }
  if (language == "fr" || language == "it" || language == "ga") {
    text = apostrophes(text, is_other, is_other, true, true);
    text = apostrophes(text, is_other, is_alpha, true, true);
    text = apostrophes(text, is_alpha, is_other, true, true);
    return apostrophes(text, is_alpha, is_alpha, false, true);
  }
  MosesWord out;
  for (const MosesLetter& letter : text) {
    if (letter.c == U'\'')
      separate(letter, out);
    else
      out.push_back(letter);
  }
  return out;
}

std::vector<MosesWord> split_at_blanks(const MosesWord& text) {
  std::vector<MosesWord> words(1);
  for (const MosesLetter& letter : text) {
    if (letter.c != U' ')
      words.back().push_back(letter);
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

// Whether the full stop at the end of a word is part of it.
bool keeps_full_stop(const MosesWord& word, const MosesWord* next, const NonbreakingPrefixes& prefixes) {
  const MosesWord prefix(word.begin(), word.end() - 1);
  const auto is_dot = [](const MosesLetter& letter) { return letter.c == U'.'; };
  const auto letter = [](const MosesLetter& letter) { return is_alpha(letter.c); };
  if (std::any_of(prefix.begin(), prefix.end(), is_dot) && std::any_of(prefix.begin(), prefix.end(), letter))
    return true;
  if (next && is_lower(next->front().c)) return true;
  std::string text;
  for (const MosesLetter& part : prefix) append_utf8(part.c, text);
  const auto found = prefixes.find(text);
  if (found == prefixes.end()) return false;
  return found->second == Nonbreaking::kAlways || (next && U'0' <= next->front().c && next->front().c <= U'9');
}

std::vector<MosesWord> separate_full_stops(std::vector<MosesWord> words, const NonbreakingPrefixes& prefixes) {
  std::vector<MosesWord> out;
  for (size_t i = 0; i < words.size(); ++i) {
    MosesWord& word = words[i];
    const bool ends = word.size() > 1 && word.back().c == U'.' &&
                      !keeps_full_stop(word, i + 1 < words.size() ? &words[i + 1] : nullptr, prefixes);
    const MosesLetter stop = word.back();
    if (ends) word.pop_back();
    out.push_back(word);
    if (ends) out.push_back({stop});
  }
  return out;
}

struct Escape {
  char32_t c;
  std::string_view text;
};

constexpr Escape kEscapes[] = {{U'&', "&amp;"},   {U'|', "&#124;"}, {U'<', "&lt;"},  {U'>', "&gt;"},
                               {U'\'', "&apos;"}, {U'"', "&quot;"}, {U'[', "&#91;"}, {U']', "&#93;"}};

// Of several characters for one, the last has its place in the text.
MosesWord escape(const MosesWord& word, size_t begin) {
  MosesWord out;
  for (const MosesLetter& letter : word) {
    const auto found =
        std::find_if(std::begin(kEscapes), std::end(kEscapes), [&](const Escape& e) { return e.c == letter.c; });
    if (found != std::end(kEscapes))
      for (const char c : found->text.substr(0, found->text.size() - 1))
        out.push_back({static_cast<char32_t>(c), begin});
    out.push_back({found != std::end(kEscapes) ? U';' : letter.c, letter.end});
    begin = letter.end;
  }
  return out;
}

std::string unescape(std::string_view word) {
  std::string out;
  while (!word.empty()) {
    const auto found = std::find_if(std::begin(kEscapes), std::end(kEscapes),
                                    [&](const Escape& e) { return word.starts_with(e.text); });
    if (found != std::end(kEscapes)) {
      append_utf8(found->c, out);
      word.remove_prefix(found->text.size());
    } else {
      out += word.front();
      word.remove_prefix(1);
    }
  }
  return out;
}

template <class Is>
bool all_are(std::string_view word, Is is) {
  for (size_t at = 0; at < word.size();)
    if (!is(next_code_point(word, at))) return false;
  return !word.empty();
}

auto one_of(std::u32string_view characters) {
  return [characters](char32_t c) { return characters.find(c) != characters.npos; };
}

char32_t first_of(std::string_view word) {
  size_t at = 0;
  return word.empty() ? U' ' : next_code_point(word, at);
}

char32_t last_of(std::string_view word) {
  char32_t last = U' ';
  for (size_t at = 0; at < word.size();) last = next_code_point(word, at);
  return last;
}

}  // namespace

void append_utf8(char32_t c, std::string& text) {
  const auto add = [&](char32_t byte) { text += static_cast<char>(byte); };
  if (c < 0x80) return add(c);
  if (c < 0x800) {
    add(0xC0 | c >> 6);
  } else {
    if (c < 0x10000) {
      add(0xE0 | c >> 12);
    } else {
      add(0xF0 | c >> 18);
      add(0x80 | (c >> 12 & 0x3F));
    }
    add(0x80 | (c >> 6 & 0x3F));
  }
  add(0x80 | (c & 0x3F));
}

std::vector<MosesWord> split_moses(std::string_view text, std::string_view language,
                                   const NonbreakingPrefixes& prefixes, bool escaped) {
  const MosesWord parted = separate_apostrophes(separate_commas(separate_dots(separate_specials(text))), language);
  std::vector<MosesWord> words = separate_full_stops(split_at_blanks(parted), prefixes);
  size_t begin = 0;
  for (MosesWord& word : words) {
    for (MosesLetter& letter : word)
      if (letter.c == kDotOfMany) letter.c = U'.';
    const size_t end = word.back().end;
    if (escaped) word = escape(word, begin);
    begin = end;
  }
  return words;
}

std::string MosesJoiner::next(std::string_view escaped) {
  if (escaped == "@-@") {
    blank_ = contracted_ = false;
    before_ = "-";
    return "-";
  }
  const std::string word = unescape(escaped);
  const bool is_first = before_.empty();
  const char32_t first = first_of(word);
  if (contracted_ && is_alpha(first)) blank_ = false;
  contracted_ = false;
  bool left = false, right = false;  // no blank before it, or behind it
  if (is_cjk(first) && language_ != "ko") {
    left = !is_first && is_cjk(last_of(before_));
  } else if (all_are(word, [](char32_t c) { return is_currency(c) || one_of(U"([{\u00BF\u00A1")(c); })) {
    right = true;
  } else if (all_are(word, one_of(U",.?!:;\\%}])"))) {
    left = !(language_ == "fr" && word.size() == 1 && one_of(U"?!:;\\%")(first));
    if (!left) blank_ = true;
  } else if (language_ == "en" && !is_first && first == U'\'' && word.size() > 1 &&
             is_alpha(first_of(word.substr(1)))) {
    left = true;
  } else if ((language_ == "fr" || language_ == "it" || language_ == "ga") && word.ends_with('\'') &&
             is_alpha(last_of(std::string_view(word).substr(0, word.size() - 1)))) {
    contracted_ = true;
  } else if (all_are(word, one_of(U"'\"\u201E\u201C\u201D`"))) {
    int& quotes = word == "'"                                      ? single_quotes_
                  : all_are(word, one_of(U"\"\u201E\u201C\u201D")) ? double_quotes_
                                                                   : other_quotes_;
    if (quotes % 2 == 0 && language_ == "en" && word == "'" && before_.ends_with('s')) {
      left = true;  // of a possessive, no quotation mark
    } else {
      (quotes % 2 == 0 ? right : left) = true;
      ++quotes;
    }
  }
  std::string added = blank_ && !left ? " " + word : word;
  blank_ = !right;
  before_ = word;
  return added;
}

}  // namespace dragoman
