#pragma once

#include <span>
#include <vector>

#include "base/matrix.h"
#include "search/hypothesis.h"
#include "search/logits_rule.h"
#include "search/phrases.h"

namespace dragoman {

/// Beam search for one sentence: the `width` likeliest hypotheses live on from step to step; of those that reached eos,
/// the one with the highest log-probability per token wins (length normalisation of Wu et al. 2016 with alpha = 1).
/// Width 1 is greedy search. SearchOptions::by_probability has it find the `width` likeliest, as far as a beam can. The
/// caller has the model score live() and hands over the logits:
///
///   while (!beam.finished()) beam.extend(logits_of(beam.live()), {});
///   use(beam.best().tokens);
class Beam {
 public:
  /// phrases: what a translation has to contain, by dynamic beam allocation: from each step on those live that are the
  /// likeliest of all that have met as many tokens of them, as many of each number as there is room. Wants a PhraseRule
  /// among the rules, and a width above 1.
  Beam(int width, SearchOptions options, LogitsRules rules = {}, std::shared_ptr<const Phrases> phrases = {});

  /// The hypotheses to extend, likeliest first, 1..width; the empty one to begin with.
  std::span<const Hypothesis> live() const { return live_; }
  /// One token further. logits [live, V], row i belonging to live()[i]: a column for each of `tokens`, or, if that is
  /// empty, for each of the vocabulary; the rules write into them. A hypothesis whose tokens are all forbidden is given
  /// up; if there is no other, the search ends with what it has.
  void extend(MatrixBlock logits, std::span<const int> tokens);
  /// Which of the former live() each of live() extends.
  std::span<const int> parents() const { return parents_; }

  bool finished() const { return finished_; }
  /// If finished, the translations, best first, 1..width; the live hypotheses otherwise.
  std::span<const Hypothesis> ranked() const { return finished_ && !done_.empty() ? done_ : live_; }
  const Hypothesis& best() const { return ranked().front(); }
  /// How many tokens of best() will not change any more.
  int settled() const { return settled_; }

 private:
  struct Candidate {
    int parent, token;
    float log_probability, log_probability_of_token;
    Progress progress;
  };

  void take_likeliest(const NextTokens& next, float normaliser);
  void collect(int parent, const NextTokens& next, float normaliser);
  void allocate();
  void advance();
  float score(const Hypothesis& finished) const;
  bool cannot_improve() const;
  void settle();

  int width_;
  SearchOptions options_;
  LogitsRules rules_;
  std::shared_ptr<const Phrases> phrases_;
  std::vector<Hypothesis> live_ = {{}};
  std::vector<int> parents_ = {0};
  std::vector<Hypothesis> done_;       // those that reached eos, best score first, at most width_
  std::vector<Candidate> candidates_;  // scratch of extend()
  bool finished_ = false;
  int settled_ = 0;
};

}  // namespace dragoman
