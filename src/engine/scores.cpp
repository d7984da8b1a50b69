#include "engine/scores.h"

#include <cmath>
#include <numeric>

#include "text/annotated_text.h"

namespace dragoman {
namespace {

double sum(std::span<const float> log_probabilities) {
  return std::accumulate(log_probabilities.begin(), log_probabilities.end(), 0.0);
}

}  // namespace

void ScoredParts::add(TextRange part, double log_probability) {
  target.push_back(part);
  log_probabilities.push_back(std::round(log_probability * 1e6) / 1e6);
}

void Scores::add(std::string_view text, TextRange sentence, std::span<const TextRange> its_pieces,
                 std::span<const float> log_probabilities) {
  sentences.add(sentence, sum(log_probabilities));
  for (size_t i = 0; i < its_pieces.size(); ++i) pieces.add(its_pieces[i], log_probabilities[i]);
  for (const TextRange& word : dragoman::words(text, sentence)) {
    const auto [begin, end] = pieces_of_word(word, its_pieces);
    words.add(word, sum(log_probabilities.subspan(begin, end - begin)));
  }
}

}  // namespace dragoman
