#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// Which words of a text are to become which of its translation.
class Glossary {
 public:
  /// terms: a line each, "term TAB its translation", as UTF-8; empty lines do not count. Throws Error(kInvalidArgument)
  /// if a term or a translation has nothing to see or is too long, or a term comes twice.
  explicit Glossary(std::string_view terms);

  bool empty() const { return terms_.empty(); }
  /// Translations of the terms that a sentence (valid UTF-8) has, in its order, as often as it has them. Terms are
  /// whole words, whatever blanks are between them. Of two that begin at a word the one of more words counts; its words
  /// are then no others'. Case counts, but that a term in small letters is found at the beginning of a sentence, too.
  /// in_capitals: case does not count.
  std::vector<std::string_view> translations(std::string_view sentence, bool in_capitals) const;

 private:
  struct Term {
    std::vector<std::string> words;
    std::string key;  // its first word in small letters
    std::string translation;
  };

  std::vector<Term> terms_;  // by key, then those of more words first
};

/// With a capital in front, as at the beginning of a sentence, unless there is a capital somewhere else in the first
/// word ("iPhone").
std::string with_capital(std::string_view text);

}  // namespace dragoman
