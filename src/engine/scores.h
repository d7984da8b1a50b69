#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "text/text_range.h"

namespace dragoman {

/// Parts of a translation, in order, and how sure the model was of each: the natural logarithm of its probability given
/// all that stands before it, six decimals.
struct ScoredParts {
  std::vector<TextRange> target;
  std::vector<double> log_probabilities;

  void add(TextRange part, double log_probability);
};

/// Ranges are UTF-16 units, as in Alignment. A word is as probable as all its pieces together, a sentence as all of
/// its own and its end.
struct Scores {
  ScoredParts sentences, words, pieces;

  /// Appends a sentence of a translation `text`. pieces: ranges of the text; log_probabilities: theirs and, if the
  /// sentence has one, its end's; without any, it has passed unchanged, which is certain.
  void add(std::string_view text, TextRange sentence, std::span<const TextRange> pieces,
           std::span<const float> log_probabilities);
};

}  // namespace dragoman
