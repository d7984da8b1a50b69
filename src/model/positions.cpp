#include "model/positions.h"

#include <algorithm>
#include <cmath>

namespace dragoman {

Matrix sinusoidal_positions(int count, int width) {
  Matrix positions(count, width);
  const int half = width / 2;
  for (int i = 0; i < half; ++i) {
    const double frequency = std::pow(10000.0, -static_cast<double>(i) / std::max(1, half - 1));
    for (int p = 0; p < count; ++p) {
      positions(p, i) = static_cast<float>(std::sin(p * frequency));
      positions(p, half + i) = static_cast<float>(std::cos(p * frequency));
    }
  }
  return positions;
}

}  // namespace dragoman
