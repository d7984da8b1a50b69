#pragma once

#include <span>

namespace dragoman {

/// How often in a row a stretch of tokens may stand in the translation of `source` before that counts as a model
/// running in a circle: three times, or two times more than in the source.
int allowed_repetitions(std::span<const int> source);

/// Sets to -infinity the logits of the tokens that would make a stretch stand at the end of the hypothesis more than
/// `allowed` times in a row. logits: one for each of `tokens`, or, if that is empty, for each of the vocabulary.
void forbid_repetition(std::span<const int> hypothesis, int allowed, std::span<float> logits,
                       std::span<const int> tokens);

}  // namespace dragoman
