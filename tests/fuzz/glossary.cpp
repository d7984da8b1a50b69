// Terms of a glossary, and a sentence.
#include "engine/glossary.h"

#include "fuzz/support.h"
#include "text/annotated_text.h"
#include "text/unicode.h"

namespace dragoman::fuzz {

// The first two bytes: how many of the rest are the glossary's; then comes the sentence.
void glossary(Input input) {
  Choices choices(input);
  const size_t length = choices.number(2);
  const std::string terms(choices.take(length)), sentence = sanitize_utf8(choices.take(input.size()));
  tolerate({ErrorCode::kInvalidArgument}, [&] {
    const Glossary glossary(terms);
    expect(glossary.empty() == (terms.find('\t') == terms.npos), "terms are lines with a tab");
    const std::string clean = sanitize_utf8(terms);
    const size_t most = words(sentence, {0, sentence.size()}).size();
    for (const bool in_capitals : {false, true}) {
      const auto found = glossary.translations(sentence, in_capitals);
      expect(found.size() <= most, "a term has a word at least");
      for (const std::string_view translation : found) {
        expect(clean.find(translation) != clean.npos, "what a term becomes is in the glossary");
        const std::string capital = with_capital(translation);
        expect(sanitize_utf8(capital) == capital, "with a capital it is valid UTF-8");
      }
    }
  });
}

}  // namespace dragoman::fuzz
