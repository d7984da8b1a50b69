#include "kernels/argmax.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "kernels/simd.h"

namespace dragoman {
namespace {

// The largest of each of 16 lanes of x [n], n >= 16: four independent vectors, as one alone would wait for itself.
// Returns where the rest begins, which has no lane.
int lane_maxima(const float* x, int n, float* lanes) {
  v128_t best[4];
  for (int j = 0; j < 4; ++j) best[j] = wasm_v128_load(x + 4 * j);
  int i = 16;
  for (; i + 16 <= n; i += 16)
    for (int j = 0; j < 4; ++j) best[j] = wasm_f32x4_pmax(best[j], wasm_v128_load(x + i + 4 * j));
  for (int j = 0; j < 4; ++j) wasm_v128_store(lanes + 4 * j, best[j]);
  return i;
}

}  // namespace

float maximum(const float* x, int n) {
  if (n < 16) return *std::max_element(x, x + n);
  float lanes[16];
  const int rest = lane_maxima(x, n, lanes);
  const float max = *std::max_element(lanes, lanes + 16);
  return rest == n ? max : std::max(max, *std::max_element(x + rest, x + n));
}

int argmax(const float* x, int n) {
  const float max = maximum(x, n);
  const v128_t wanted = wasm_f32x4_splat(max);
  int i = 0;
  for (; i + 4 <= n; i += 4)
    if (wasm_v128_any_true(wasm_f32x4_eq(wasm_v128_load(x + i), wanted))) break;
  return static_cast<int>(std::find(x + i, x + n, max) - x);
}

int argmax_reference(const float* x, int n) { return static_cast<int>(std::max_element(x, x + n) - x); }

std::vector<int> largest(const float* x, int n, int count) {
  std::vector<int> best;
  // What is less is not among the largest. As many lanes have a larger one, or an equal one, to begin with.
  float low = -std::numeric_limits<float>::infinity();
  if (n >= 16 && count <= 16) {
    float lanes[16];
    lane_maxima(x, n, lanes);
    std::nth_element(lanes, lanes + count - 1, lanes + 16, std::greater());
    low = lanes[count - 1];
  }
  const auto consider = [&](int i) {
    if (static_cast<int>(best.size()) == count) {
      if (!(x[i] > x[best.back()])) return;
      best.pop_back();
    }
    best.insert(std::partition_point(best.begin(), best.end(), [&](int j) { return x[j] >= x[i]; }), i);
    if (static_cast<int>(best.size()) == count) low = std::max(low, x[best.back()]);
  };
  int i = 0;
  for (; i + 16 <= n; i += 16) {
    const v128_t first = wasm_f32x4_pmax(wasm_v128_load(x + i), wasm_v128_load(x + i + 4));
    const v128_t second = wasm_f32x4_pmax(wasm_v128_load(x + i + 8), wasm_v128_load(x + i + 12));
    if (!wasm_v128_any_true(wasm_f32x4_ge(wasm_f32x4_pmax(first, second), wasm_f32x4_splat(low)))) continue;
    for (int j = i; j < i + 16; ++j)
      if (x[j] >= low) consider(j);
  }
  for (; i < n; ++i) consider(i);
  return best;
}

std::vector<int> largest_reference(const float* x, int n, int count) {
  std::vector<int> all(n);
  std::iota(all.begin(), all.end(), 0);
  std::stable_sort(all.begin(), all.end(), [x](int a, int b) { return x[a] > x[b]; });
  all.resize(std::min(n, count));
  return all;
}

}  // namespace dragoman
