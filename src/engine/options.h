#pragma once

#include <functional>
#include <string>

#include "search/sampling.h"

namespace dragoman {

/// Most hypotheses that an engine writes at once, those of all sentences together: the rows of a decoder step.
inline constexpr int kMaxHypotheses = 16;

/// What holds for an engine and all its translations.
struct EngineOptions {
  int max_hypotheses = kMaxHypotheses;        // that are written at once, 1..kMaxHypotheses
  int threads = 1;                            // the caller's and helpers' that share the work, 1..max_hypotheses
  std::function<void()> prepare_thread = {};  // runs first on each helper
  bool shortlist = true;  // choose among the model's lexical shortlist, if it has one, in place of the vocabulary
};

/// What one call asks for. It is handed on whole, from the caller to where a field is read.
struct TranslateOptions {
  int beam = 1;            // hypotheses a sentence, 1..EngineOptions::max_hypotheses; 1 is greedy search
  bool annotate = false;   // keep the pieces for Translation::annotated_source and annotated_target
  bool alignment = false;  // annotate, and keep the attention for Translation::alignment
  // Align, and keep the attention of every layer and head for Translation::head_attention, also while sentences grow.
  bool attention = false;
  bool scores = false;  // annotate, and keep log-probabilities for Translation::scores and log_probability
  // What the translation begins with, of a text that is one sentence; blanks in front of it do not count. The whole
  // vocabulary is chosen among, as if there were no shortlist.
  std::string prefix = {};
  bool whole = false;      // the prefix is all of the translation, to be scored
  int next_words = 0;      // in place of a translation, find what word may come next: so many, 0..beam
  Sampling sampling = {};  // draw the tokens, with a beam of 1
  // Terms and their translations, see Glossary: a sentence with terms is searched with a wider beam, and as if there
  // were no shortlist.
  std::string glossary = {};

  /// Whether there is more to the translation than the model's own word.
  bool is_forced() const { return !prefix.empty() || whole || next_words > 0; }
};

/// Throw Error(kInvalidArgument) for what cannot be.
void check(const EngineOptions& options);
void check(const TranslateOptions& options, const EngineOptions& engine);

}  // namespace dragoman
