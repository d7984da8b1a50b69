#include "kernels/argmax.h"

#include <algorithm>
#include <numeric>

#include "kernels/simd.h"

namespace dragoman {

// Four independent vectors at a time: one alone would wait for itself.
float maximum(const float* x, int n) {
  if (n < 16) return *std::max_element(x, x + n);
  v128_t best[4];
  for (int j = 0; j < 4; ++j) best[j] = wasm_v128_load(x + 4 * j);
  int i = 16;
  for (; i + 16 <= n; i += 16)
    for (int j = 0; j < 4; ++j) best[j] = wasm_f32x4_pmax(best[j], wasm_v128_load(x + i + 4 * j));
  float lanes[4];
  wasm_v128_store(lanes, wasm_f32x4_pmax(wasm_f32x4_pmax(best[0], best[1]), wasm_f32x4_pmax(best[2], best[3])));
  float max = *std::max_element(lanes, lanes + 4);
  for (; i < n; ++i) max = std::max(max, x[i]);
  return max;
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
  const auto consider = [&](int i) {
    if (static_cast<int>(best.size()) == count) {
      if (!(x[i] > x[best.back()])) return;
      best.pop_back();
    }
    best.insert(std::partition_point(best.begin(), best.end(), [&](int j) { return x[j] >= x[i]; }), i);
  };
  int i = 0;
  for (; i < std::min(n, count); ++i) consider(i);
  // After the first few hundred, hardly ever is one of sixteen among the largest.
  for (; i + 16 <= n; i += 16) {
    const v128_t low = wasm_f32x4_pmax(wasm_v128_load(x + i), wasm_v128_load(x + i + 4));
    const v128_t high = wasm_f32x4_pmax(wasm_v128_load(x + i + 8), wasm_v128_load(x + i + 12));
    if (!wasm_v128_any_true(wasm_f32x4_gt(wasm_f32x4_pmax(low, high), wasm_f32x4_splat(x[best.back()])))) continue;
    for (int j = i; j < i + 16; ++j) consider(j);
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
