#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "search/logits_rule.h"

namespace dragoman {

/// Stretches of tokens that a translation has to contain, each as whole words, in any order. The search meets them by
/// dynamic beam allocation (Post and Vilar 2018): see Beam.
class Phrases {
 public:
  struct Phrase {
    std::vector<int> tokens;
    std::vector<int> at_start;  // in their place where the translation begins with it
  };

  static constexpr size_t kMost = 64;

  /// phrases: 1..kMost, none empty. continues: of each token, whether written behind a word it makes that longer.
  Phrases(std::vector<Phrase> phrases, std::vector<bool> continues);

  /// What a hypothesis with that progress has become by one more token.
  Progress after(const Progress& before, int token) const;
  /// How many tokens of all phrases it has written: of those that are done, and of the one that is begun.
  int tokens_met(const Progress& progress) const;
  bool all_met(const Progress& progress) const { return progress.met == all_; }
  /// Of all phrases.
  int tokens() const { return tokens_met({.met = all_}); }
  /// Calls each(token) for every token that would bring a phrase forward; a token may come several times.
  template <class Each>
  void for_next(const Progress& progress, Each each) const {
    for (size_t i = 0; i < phrases_.size(); ++i)
      if (is_open(progress, i)) each(written(progress, i)[progress.length]);
  }
  /// Whether a word was just finished by a phrase, which `token` would change.
  bool spoils(const Progress& progress, int token) const { return progress.ends_phrase && continues_[token]; }

 private:
  // Whether the next token of the phrase is wanted: it is begun, or none is and it is not done.
  bool is_open(const Progress& progress, size_t i) const {
    return ((progress.length > 0 ? progress.begun : all_ & ~progress.met) >> i & 1) != 0;
  }
  const std::vector<int>& written(const Progress& progress, size_t i) const {
    return progress.at_start ? phrases_[i].at_start : phrases_[i].tokens;
  }

  std::vector<Phrase> phrases_;
  std::vector<bool> continues_;
  uint64_t all_;
};

/// Forbids the end while a phrase is missing, and what would make a phrase's last word another one.
class PhraseRule final : public LogitsRule {
 public:
  PhraseRule(std::shared_ptr<const Phrases> phrases, int eos) : phrases_(std::move(phrases)), eos_(eos) {}
  void apply(const Hypothesis& hypothesis, const NextTokens& next) const override;

 private:
  std::shared_ptr<const Phrases> phrases_;
  int eos_;
};

}  // namespace dragoman
