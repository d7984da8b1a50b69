#pragma once

#include <memory>
#include <vector>

#include "search/prefix.h"

namespace dragoman {

/// What a token is to the words of a text.
struct TokenKind {
  bool continues;  // written behind a word, it makes that longer
  bool open;       // it can be made longer: it ends in the midst of a word, or what may be one
  bool blank;      // there is nothing to see yet
};

/// Has a hypothesis end where a word does, the first behind a prefix, so that a search finds words: the end of the
/// sentence (eos) becomes as likely as all that does not make the word longer. Without a word, eos stays what it is.
class NextWordRule final : public LogitsRule {
 public:
  /// kinds: of each token. Asked when the prefix has nothing to decide.
  NextWordRule(std::shared_ptr<const Prefix> prefix, std::vector<TokenKind> kinds, int eos)
      : prefix_(std::move(prefix)), kinds_(std::move(kinds)), eos_(eos), ends_(kinds_.size()) {}
  void apply(const Hypothesis& hypothesis, const NextTokens& next) const override;

 private:
  std::shared_ptr<const Prefix> prefix_;
  std::vector<TokenKind> kinds_;
  int eos_;
  mutable std::vector<float> ends_;  // scratch: logits of what ends the word
};

}  // namespace dragoman
