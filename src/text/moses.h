#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// A character of a word, and where in the text it ends. The text between the end of the one before and that is its.
struct MosesLetter {
  char32_t c;
  size_t end;
};
using MosesWord = std::vector<MosesLetter>;

/// What is behind an abbreviation's full stop: never the end of a sentence, or not before a number.
enum class Nonbreaking { kAlways, kBeforeNumber };
using NonbreakingPrefixes = std::map<std::string, Nonbreaking, std::less<>>;

/// The words of `text` (valid UTF-8) as Moses' tokenizer.perl splits them; `language`: as Moses calls it. Punctuation
/// is a word of its own but for hyphens, commas and full stops within numbers, apostrophes as the language has them,
/// and the full stops of abbreviations. escaped: with "&apos;" for an apostrophe, and so on.
std::vector<MosesWord> split_moses(std::string_view text, std::string_view language,
                                   const NonbreakingPrefixes& prefixes, bool escaped);

/// Puts such words together again, as detokenizer.perl does: which of them have a blank between them.
class MosesJoiner {
 public:
  explicit MosesJoiner(std::string_view language) : language_(language) {}
  /// What the next word adds to the text; `escaped`: as the model writes it, escaped or not.
  std::string next(std::string_view escaped);

 private:
  std::string_view language_;
  std::string before_;       // the word before
  bool blank_ = false;       // whether one comes before the next word
  bool contracted_ = false;  // no blank after all if the next word begins with a letter
  int single_quotes_ = 0, double_quotes_ = 0, other_quotes_ = 0;
};

/// c at the end of `text`, in UTF-8.
void append_utf8(char32_t c, std::string& text);

}  // namespace dragoman
