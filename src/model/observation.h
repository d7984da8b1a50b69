#pragma once

#include <vector>

namespace dragoman {

/// What goes through the layers of one side in a pass, one behind the other in the order in which it arises, for
/// whoever looks on (see Workspace::observation).
struct Observation {
  std::vector<float> hidden;  // [rows, D] in front of the first layer, behind each, and behind a final norm
  std::vector<float>
      self_attention;  // of each layer: the encoder's [H, S, S] a sentence, the decoder's [H, P + 1] a row
  std::vector<float> cross_attention;  // of each layer [rows, H, S]
};

/// Nothing, if nobody looks on.
inline void observe(Observation* observation, std::vector<float> Observation::*part, const float* values, int count) {
  if (observation) (observation->*part).insert((observation->*part).end(), values, values + count);
}

}  // namespace dragoman
