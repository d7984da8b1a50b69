#pragma once

#include <functional>

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
  bool score = false;      // compute Translation::log_probability
  bool annotate = false;   // keep the pieces for Translation::annotated_source and annotated_target
  bool alignment = false;  // annotate, and keep the attention for Translation::alignment
};

/// Throw Error(kInvalidArgument) for what cannot be.
void check(const EngineOptions& options);
void check(const TranslateOptions& options, const EngineOptions& engine);

}  // namespace dragoman
