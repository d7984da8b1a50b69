#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/config.h"
#include "search/next_word.h"
#include "search/prefix.h"
#include "text/text_range.h"
#include "text/tokenizer.h"

namespace dragoman {

/// The beginning of a sentence's translation, or all of it, as a caller wants it: what the search has to write, and
/// what is shown, which is the very bytes that were given, whatever the pieces make of them.
///
/// The last word of a beginning need not be whole, and a model may have a piece for the whole one: it writes "Bahnhof"
/// at once, and would be astray behind "Ba", "hn". So in that word a piece may also stand for all that is left, and
/// more.
class ForcedText {
 public:
  /// text: any bytes; ill-formed UTF-8 becomes U+FFFD. Blanks at its ends do not count, but that those at the end of a
  /// beginning want a new word to follow. whole: all of the translation. in_capitals: as the model writes it, in small
  /// letters. Throws Error(kInvalidArgument) if it is too long.
  ForcedText(const Tokenizer& tokenizer, const Config& config, std::string_view text, bool whole, bool in_capitals);

  const std::string& text() const { return text_; }
  /// Its tokens, with Config::forced_first, and with eos if it is whole.
  const std::shared_ptr<const Prefix>& prefix() const { return prefix_; }
  /// Of what a Detokenizer has written, what comes behind it.
  std::string_view rest_of(std::string_view written) const;
  /// Where the pieces of a hypothesis are in text() and that rest. written: where the Detokenizer has put them, if it
  /// was to keep that.
  std::vector<TextRange> ranges(std::span<const int> tokens, std::span<const TextRange> written) const;

 private:
  std::string text_;
  std::shared_ptr<const Prefix> prefix_;
  std::vector<TextRange> ranges_;  // of text_, by token
  size_t written_;                 // bytes that a Detokenizer makes of it
};

/// For NextWordRule, of each piece.
std::vector<TokenKind> token_kinds(const Tokenizer& tokenizer);

}  // namespace dragoman
