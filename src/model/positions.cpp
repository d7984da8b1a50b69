#include "model/positions.h"

#include <cmath>

namespace dragoman {

Matrix sinusoidal_positions(Positions positions, int first, int count, int width) {
  Matrix table(count, width);
  const int half = width / 2;
  const bool in_turn = positions == Positions::kInterleaved;
  const double longest = positions == Positions::kSinusoidal ? std::max(1, half - 1) : half;
  for (int i = 0; i < half; ++i) {
    const double frequency = std::pow(10000.0, -static_cast<double>(i) / longest);
    for (int p = 0; p < count; ++p) {
      const double angle = (first + p) * frequency;
      table(p, in_turn ? 2 * i : i) = static_cast<float>(std::sin(angle));
      table(p, in_turn ? 2 * i + 1 : half + i) = static_cast<float>(std::cos(angle));
    }
  }
  return table;
}

}  // namespace dragoman
