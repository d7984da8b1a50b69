#pragma once

#include <random>
#include <vector>

namespace dragoman::bench {

/// Numbers to compute with: the same on every run.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int integer(int least, int most) { return least + static_cast<int>(engine_() % (most - least + 1u)); }
  std::vector<float> reals(size_t n, float least, float most) {
    std::vector<float> values(n);
    for (float& v : values) v = least + (most - least) * static_cast<float>(engine_() % 65536) / 65535.0f;
    return values;
  }

 private:
  std::mt19937 engine_;
};

}  // namespace dragoman::bench
