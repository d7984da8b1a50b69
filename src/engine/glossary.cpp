#include "engine/glossary.h"

#include <algorithm>

#include "base/error.h"
#include "text/annotated_text.h"
#include "text/capitals.h"
#include "text/sentence_splitter.h"
#include "text/unicode.h"

namespace dragoman {
namespace {

constexpr size_t kMostTerms = 10'000, kLongestTerm = 200;  // bytes

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> found;
  for (const auto& [begin, end] : words(text, {0, text.size()})) found.emplace_back(text.substr(begin, end - begin));
  return found;
}

// All capitals as small letters.
std::string lower(std::string_view text) {
  const std::string_view first = "A";  // which lower_capitals keeps
  return lower_capitals(std::string(first).append(text)).substr(first.size());
}

std::string with_small_first(std::string_view text) {
  size_t first = 0;
  next_code_point(text, first);
  return lower(text.substr(0, first)).append(text.substr(first));
}

void check(std::string_view text) {
  require(trim(text, {0, text.size()}).size() > 0, ErrorCode::kInvalidArgument, "the glossary has an empty term");
  require(text.size() <= kLongestTerm, ErrorCode::kInvalidArgument, "a term of the glossary has ", text.size(),
          " bytes; ", kLongestTerm, " are the most");
}

}  // namespace

Glossary::Glossary(std::string_view terms) {
  for (size_t at = 0; at < terms.size();) {
    const size_t end = std::min(terms.find('\n', at), terms.size());
    std::string_view line = terms.substr(at, end - at);
    at = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    const size_t tab = line.find('\t');
    require(tab != line.npos && line.find('\t', tab + 1) == line.npos, ErrorCode::kInvalidArgument,
            "not a term, a tab and its translation, in the glossary: ", sanitize_utf8(line.substr(0, kLongestTerm)));
    const std::string term = sanitize_utf8(line.substr(0, tab)), translation = sanitize_utf8(line.substr(tab + 1));
    check(term);
    check(translation);
    require(terms_.size() < kMostTerms, ErrorCode::kInvalidArgument, "the glossary has more than ", kMostTerms,
            " terms");
    std::vector<std::string> its_words = words_of(term);
    std::string key = lower(its_words.front());
    const TextRange visible = trim(translation, {0, translation.size()});
    terms_.push_back({std::move(its_words), std::move(key), translation.substr(visible.begin, visible.size())});
  }
  std::sort(terms_.begin(), terms_.end(), [](const Term& a, const Term& b) {
    if (a.key != b.key) return a.key < b.key;
    return a.words.size() != b.words.size() ? a.words.size() > b.words.size() : a.words < b.words;
  });
  const auto twice =
      std::adjacent_find(terms_.begin(), terms_.end(), [](const Term& a, const Term& b) { return a.words == b.words; });
  require(twice == terms_.end(), ErrorCode::kInvalidArgument,
          "the glossary has a term twice: ", twice == terms_.end() ? "" : twice->words.front());
}

std::vector<std::string_view> Glossary::translations(std::string_view sentence, bool in_capitals) const {
  std::vector<std::string_view> found;
  const std::vector<std::string> text = words_of(sentence);
  // The first word, whatever quotes are in front of it.
  const auto has_letter = [](const std::string& word) {
    size_t at = 0;
    return is_letter(next_code_point(word, at));
  };
  const size_t start = static_cast<size_t>(std::find_if(text.begin(), text.end(), has_letter) - text.begin());
  const auto is = [&](const std::string& word, size_t i) {
    return text[i] == word || (i == start && with_small_first(text[i]) == word) ||
           (in_capitals && lower(text[i]) == lower(word));
  };
  for (size_t i = 0; i < text.size();) {
    const std::string key = lower(text[i]);
    auto term = std::lower_bound(terms_.begin(), terms_.end(), key,
                                 [](const Term& t, const std::string& k) { return t.key < k; });
    const auto stands_here = [&](const Term& t) {
      bool same = i + t.words.size() <= text.size();
      for (size_t w = 0; same && w < t.words.size(); ++w) same = is(t.words[w], i + w);
      return same;
    };
    while (term != terms_.end() && term->key == key && !stands_here(*term)) ++term;
    const bool here = term != terms_.end() && term->key == key;
    if (here) found.push_back(term->translation);
    i += here ? term->words.size() : 1;
  }
  return found;
}

std::string with_capital(std::string_view text) {
  size_t first = 0;
  next_code_point(text, first);
  const std::string word = words_of(text).front();
  const bool has_others = word.size() > first && lower(word.substr(first)) != word.substr(first);
  if (has_others || text.starts_with("\xC3\x9F")) return std::string(text);  // no word begins with a sharp s
  return raise_to_capitals(text.substr(0, first)).append(text.substr(first));
}

}  // namespace dragoman
