#include "engine/alignment.h"

#include <algorithm>
#include <cmath>

#include "text/annotated_text.h"

namespace dragoman {
namespace {

// Of the best that the two parts have elsewhere: measured, see weights/README.md.
constexpr float kNearlyTheMost = 0.8f;

}  // namespace

void LinkedParts::add(std::span<const TextRange> sources, std::span<const TextRange> targets, const Matrix& attention) {
  if (attention.size() > 0) {
    const Vector most_of_source = attention.colwise().maxCoeff();
    for (Eigen::Index t = 0; t < attention.rows(); ++t) {
      const float most_of_target = attention.row(t).maxCoeff();
      for (Eigen::Index s = 0; s < attention.cols(); ++s) {
        const float weight = attention(t, s);
        if (weight > 0 && weight >= kNearlyTheMost * std::max(most_of_target, most_of_source[s]))
          links.push_back({source.size() + s, target.size() + t, std::round(weight * 1000) / 1000.0});
      }
    }
  }
  source.insert(source.end(), sources.begin(), sources.end());
  target.insert(target.end(), targets.begin(), targets.end());
}

Matrix attention_of_words(const Matrix& attention, std::span<const TextRange> source_pieces,
                          std::span<const TextRange> target_pieces, std::span<const TextRange> source_words,
                          std::span<const TextRange> target_words) {
  Matrix of_target = Matrix::Zero(static_cast<Eigen::Index>(target_words.size()), attention.cols());
  for (size_t t = 0; t < target_words.size(); ++t) {
    const auto [begin, end] = pieces_of_word(target_words[t], target_pieces);
    for (size_t piece = begin; piece < end; ++piece) of_target.row(t) += attention.row(piece);
    if (begin < end) of_target.row(t) /= static_cast<float>(end - begin);
  }
  Matrix of_words = Matrix::Zero(of_target.rows(), static_cast<Eigen::Index>(source_words.size()));
  if (target_words.empty()) return of_words;  // a column of nothing is nowhere
  for (size_t s = 0; s < source_words.size(); ++s) {
    const auto [begin, end] = pieces_of_word(source_words[s], source_pieces);
    for (size_t piece = begin; piece < end; ++piece) of_words.col(s) += of_target.col(piece);
  }
  return of_words;
}

}  // namespace dragoman
