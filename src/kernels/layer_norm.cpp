#include "kernels/layer_norm.h"

#include <cmath>

#include "kernels/simd.h"

namespace dragoman {
namespace {

// From the sum of the squared deviations.
float factor_of(const LayerNorm& norm, float squares, int width) {
  if (norm.deviation == Deviation::kVariance)
    return 1 / std::sqrt(squares * (1.0f / static_cast<float>(width)) + norm.eps);
  const int count = norm.deviation == Deviation::kUnbiased ? width - 1 : width;
  return 1 / (std::sqrt(squares / static_cast<float>(count)) + norm.eps);
}

// One row whose sum is known. The mean comes first, so that the squared deviations do not cancel.
void normalise(const float* x, float sum, const LayerNorm& norm, int width, float* out) {
  const float mean = sum * (1.0f / static_cast<float>(width));
  const v128_t means = wasm_f32x4_splat(mean);
  v128_t squares = wasm_f32x4_splat(0);
  float square = 0;
  int k = 0;
  for (; k + 4 <= width; k += 4) {
    const v128_t d = wasm_f32x4_sub(wasm_v128_load(x + k), means);
    squares = wasm_f32x4_add(squares, wasm_f32x4_mul(d, d));
  }
  for (; k < width; ++k) square += (x[k] - mean) * (x[k] - mean);
  const float factor = factor_of(norm, square + horizontal_sum(squares), width);

  const v128_t factors = wasm_f32x4_splat(factor);
  for (k = 0; k + 4 <= width; k += 4) {
    const v128_t d = wasm_f32x4_mul(wasm_f32x4_sub(wasm_v128_load(x + k), means), factors);
    wasm_v128_store(out + k,
                    wasm_f32x4_add(wasm_f32x4_mul(d, wasm_v128_load(norm.gain + k)), wasm_v128_load(norm.bias + k)));
  }
  for (; k < width; ++k) out[k] = (x[k] - mean) * factor * norm.gain[k] + norm.bias[k];
}

}  // namespace

void layer_norm(const float* x, const LayerNorm& norm, int rows, int width, float* out) {
  for (int r = 0; r < rows; ++r, x += width, out += width) {
    v128_t sums = wasm_f32x4_splat(0);
    float sum = 0;
    int k = 0;
    for (; k + 4 <= width; k += 4) sums = wasm_f32x4_add(sums, wasm_v128_load(x + k));
    for (; k < width; ++k) sum += x[k];
    normalise(x, sum + horizontal_sum(sums), norm, width, out);
  }
}

void add_layer_norm(float* x, const float* y, const LayerNorm& norm, int rows, int width) {
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
    normalise(x, sum + horizontal_sum(sums), norm, width, x);
  }
}

void layer_norm_reference(const float* x, const LayerNorm& norm, int rows, int width, float* out) {
  for (int r = 0; r < rows; ++r, x += width, out += width) {
    double mean = 0, squares = 0;
    for (int k = 0; k < width; ++k) mean += x[k];
    mean /= width;
    for (int k = 0; k < width; ++k) squares += (x[k] - mean) * (x[k] - mean);
    const double deviation = norm.deviation == Deviation::kVariance ? std::sqrt(squares / width + norm.eps)
                             : norm.deviation == Deviation::kPlain  ? std::sqrt(squares / width) + norm.eps
                                                                    : std::sqrt(squares / (width - 1)) + norm.eps;
    for (int k = 0; k < width; ++k)
      out[k] = static_cast<float>((x[k] - mean) / deviation * norm.gain[k] + norm.bias[k]);
  }
}

}  // namespace dragoman
