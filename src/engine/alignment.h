#pragma once

#include <span>
#include <vector>

#include "base/matrix.h"
#include "text/text_range.h"

namespace dragoman {

/// A part of a text and a part of its translation that say the same, by their indices.
struct Link {
  size_t source, target;
  double weight;  // how much of the target part's attention the source part has: 0..1, three decimals
};

/// Parts of a text and of its translation, in order, and the links between them, by target, then source.
struct LinkedParts {
  std::vector<TextRange> source, target;
  std::vector<Link> links;

  /// Appends the parts of one more sentence, and a link wherever the attention [T, S] is the most that either part has,
  /// or nearly (see kNearlyTheMost).
  void add(std::span<const TextRange> sources, std::span<const TextRange> targets, const Matrix& attention);
};

/// Which part of a translation stands for which part of the text. Ranges are UTF-16 units: what all that show it count
/// in.
struct Alignment {
  LinkedParts sentences, words, pieces;
};

/// The attention [T, S] of target words to source words from that of pieces: the mean over a word's pieces of the sum
/// over the other's. attention: [target pieces, source pieces and, of no word, eos].
Matrix attention_of_words(const Matrix& attention, std::span<const TextRange> source_pieces,
                          std::span<const TextRange> target_pieces, std::span<const TextRange> source_words,
                          std::span<const TextRange> target_words);

}  // namespace dragoman
