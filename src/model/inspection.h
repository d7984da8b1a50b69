#pragma once

#include <string>
#include <vector>

#include "model/transformer.h"

namespace dragoman {

/// What one side of a model computes on its sentence of T tokens, ends counted. D: its width, L: its layers, H: its
/// heads.
struct InspectedSide {
  std::vector<int> tokens;            // [T]
  std::vector<std::string> pieces;    // [T]
  std::vector<float> hidden;          // [L + 1, T, D]: the embeddings, then each layer's; one more with a final norm
  std::vector<float> self_attention;  // [L, H, T, T]; none of SSRUs
};

/// What a model computes on a sentence and on a translation that is given. Row t of the target's side is what follows
/// from the tokens before t; its causal mask is that it attends to rows 0..t.
struct Inspection {
  InspectedSide source, target;
  std::vector<float> cross_attention;    // [L, H, T, S], of the decoder
  std::vector<float> log_probabilities;  // [T], of each target token, given those before it
};

/// One pass of the encoder and one of the decoder, whose rows are all positions at once. source and target: ids, each
/// ending in eos. All but the pieces are filled in. Throws Error(kInvalidArgument) if they are too long.
Inspection inspect(const Transformer& model, std::vector<int> source, std::vector<int> target);

}  // namespace dragoman
