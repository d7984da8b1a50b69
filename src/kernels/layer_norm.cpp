#include "kernels/layer_norm.h"

#include <cmath>

#include "kernels/simd.h"

namespace dragoman {

void add_layer_norm(float* x, const float* y, const float* gain, const float* bias, int rows, int width, float eps) {
  const float scale = 1.0f / static_cast<float>(width);
  for (int r = 0; r < rows; ++r, x += width, y += width) {
    v128_t sums = wasm_f32x4_splat(0);
    float sum = 0;
    int k = 0;
    for (; k + 4 <= width; k += 4) {
      const v128_t v = wasm_f32x4_add(wasm_v128_load(x + k), wasm_v128_load(y + k));
      wasm_v128_store(x + k, v);
      sums = wasm_f32x4_add(sums, v);
    }
    for (; k < width; ++k) sum += x[k] += y[k];
    const float mean = (sum + horizontal_sum(sums)) * scale;

    // Two passes: the mean first, so that the squared deviations do not cancel.
    const v128_t means = wasm_f32x4_splat(mean);
    v128_t squares = wasm_f32x4_splat(0);
    float square = 0;
    for (k = 0; k + 4 <= width; k += 4) {
      const v128_t d = wasm_f32x4_sub(wasm_v128_load(x + k), means);
      squares = wasm_f32x4_add(squares, wasm_f32x4_mul(d, d));
    }
    for (; k < width; ++k) square += (x[k] - mean) * (x[k] - mean);
    const float factor = 1 / std::sqrt((square + horizontal_sum(squares)) * scale + eps);

    const v128_t factors = wasm_f32x4_splat(factor);
    for (k = 0; k + 4 <= width; k += 4) {
      const v128_t d = wasm_f32x4_mul(wasm_f32x4_sub(wasm_v128_load(x + k), means), factors);
      wasm_v128_store(x + k, wasm_f32x4_add(wasm_f32x4_mul(d, wasm_v128_load(gain + k)), wasm_v128_load(bias + k)));
    }
    for (; k < width; ++k) x[k] = (x[k] - mean) * factor * gain[k] + bias[k];
  }
}

void add_layer_norm_reference(float* x, const float* y, const float* gain, const float* bias, int rows, int width,
                              float eps) {
  for (int r = 0; r < rows; ++r, x += width, y += width) {
    double mean = 0, variance = 0;
    for (int k = 0; k < width; ++k) mean += (x[k] += y[k]);
    mean /= width;
    for (int k = 0; k < width; ++k) variance += (x[k] - mean) * (x[k] - mean);
    variance /= width;
    for (int k = 0; k < width; ++k)
      x[k] = static_cast<float>((x[k] - mean) / std::sqrt(variance + eps) * gain[k] + bias[k]);
  }
}

}  // namespace dragoman
