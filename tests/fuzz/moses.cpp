// Any bytes as words of Moses'.
#include "text/moses.h"

#include "fuzz/support.h"
#include "text/unicode.h"

namespace dragoman::fuzz {

// The first byte chooses the language, and whether words are escaped.
void moses(Input input) {
  static const NonbreakingPrefixes kPrefixes = {
      {"Dr", Nonbreaking::kAlways}, {"No", Nonbreaking::kBeforeNumber}, {"A", Nonbreaking::kAlways}};
  static constexpr const char* kLanguages[] = {"en", "fr", "it", "de", "fi", "cs", "ja", ""};
  Choices choices(input);
  const size_t choice = choices.byte();
  const std::string_view language = kLanguages[choice % std::size(kLanguages)];
  const std::string text = sanitize_utf8(choices.take(input.size()));
  MosesJoiner joiner(language);
  size_t end = 0;
  for (const MosesWord& word : split_moses(text, language, kPrefixes, choice >= 128)) {
    expect(!word.empty(), "a word has letters");
    std::string written;
    for (const MosesLetter& letter : word) {
      expect(end <= letter.end && letter.end <= text.size(), "letters ascend within the text");
      end = letter.end;
      append_utf8(letter.c, written);
    }
    expect(complete_prefix(text.substr(0, end)) == end, "a word ends between characters");
    const std::string shown = joiner.next(written);
    expect(sanitize_utf8(shown) == shown, "what is joined is valid UTF-8");
  }
}

}  // namespace dragoman::fuzz
