#include "kernels/softmax.h"

#include <algorithm>
#include <cmath>

#include "kernels/argmax.h"
#include "kernels/exp.h"
#include "kernels/simd.h"

namespace dragoman {
namespace {

// The lanes past the end of x are given a weight of exp(-inf) = 0.
template <class Store>
float exp_and_sum(const float* x, int n, float max, Store store) {
  const v128_t shift = wasm_f32x4_splat(max);
  v128_t total = wasm_f32x4_splat(0);
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    const v128_t e = exp4(wasm_f32x4_sub(wasm_v128_load(x + i), shift));
    total = wasm_f32x4_add(total, e);
    store(i, 4, e);
  }
  if (i < n) {
    float tail[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    std::copy(x + i, x + n, tail);
    const v128_t e = exp4(wasm_f32x4_sub(wasm_v128_load(tail), shift));
    total = wasm_f32x4_add(total, e);
    store(i, n - i, e);
  }
  return horizontal_sum(total);
}

}  // namespace

void softmax(float* x, int n) {
  const float sum = exp_and_sum(x, n, maximum(x, n), [x](int i, int count, v128_t e) {
    if (count == 4) {
      wasm_v128_store(x + i, e);
    } else {
      float tail[4];
      wasm_v128_store(tail, e);
      std::copy(tail, tail + count, x + i);
    }
  });
  const float inverse = 1 / sum;
  const v128_t factor = wasm_f32x4_splat(inverse);
  int i = 0;
  for (; i + 4 <= n; i += 4) wasm_v128_store(x + i, wasm_f32x4_mul(wasm_v128_load(x + i), factor));
  for (; i < n; ++i) x[i] *= inverse;
}

float log_sum_exp(const float* x, int n) {
  const float max = maximum(x, n);
  return max + std::log(exp_and_sum(x, n, max, [](int, int, v128_t) {}));
}

void softmax_reference(float* x, int n) {
  const float max = *std::max_element(x, x + n);
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += std::exp(static_cast<double>(x[i]) - max);
  for (int i = 0; i < n; ++i) x[i] = static_cast<float>(std::exp(static_cast<double>(x[i]) - max) / sum);
}

}  // namespace dragoman
