#include "kernels/argmax.h"

#include <algorithm>

#include "kernels/simd.h"

namespace dragoman {

int argmax(const float* x, int n) {
  if (n < 16) return argmax_reference(x, n);
  // First the largest value, four independent vectors at a time, then where it first stands.
  v128_t best[4];
  for (int j = 0; j < 4; ++j) best[j] = wasm_v128_load(x + 4 * j);
  int i = 16;
  for (; i + 16 <= n; i += 16)
    for (int j = 0; j < 4; ++j) best[j] = wasm_f32x4_pmax(best[j], wasm_v128_load(x + i + 4 * j));
  float lanes[4];
  wasm_v128_store(lanes, wasm_f32x4_pmax(wasm_f32x4_pmax(best[0], best[1]), wasm_f32x4_pmax(best[2], best[3])));
  float max = *std::max_element(lanes, lanes + 4);
  for (; i < n; ++i) max = std::max(max, x[i]);

  const v128_t wanted = wasm_f32x4_splat(max);
  for (i = 0; i + 4 <= n; i += 4)
    if (wasm_v128_any_true(wasm_f32x4_eq(wasm_v128_load(x + i), wanted))) break;
  return static_cast<int>(std::find(x + i, x + n, max) - x);
}

int argmax_reference(const float* x, int n) { return static_cast<int>(std::max_element(x, x + n) - x); }

}  // namespace dragoman
