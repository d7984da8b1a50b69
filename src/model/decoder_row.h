#pragma once

#include "model/decoder_state.h"

namespace dragoman {

struct Shortlist;

/// In place of a token: the decoder starts from a zero vector.
inline constexpr int kStart = -1;

/// One hypothesis in a decoder step, or one of several positions of a target that is given: a row of its activations.
struct DecoderRow {
  int token;                             // the last one chosen, or kStart
  const KvCache* cross;                  // keys and values of the source sentence
  DecoderState* target;                  // the target so far; the step appends to it
  const Shortlist* shortlist = nullptr;  // the sentence's own output layer, in place of the whole vocabulary
  float* attention = nullptr;  // [L, H, S]: receives this step's cross-attention, the softmax of every layer and head
  int ahead = 0;               // rows before this one in the step that belong to the same target, one position each
};

}  // namespace dragoman
