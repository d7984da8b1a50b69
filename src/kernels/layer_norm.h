#pragma once

namespace dragoman {

/// What a layer norm divides the distance from the mean by.
enum class Deviation {
  kVariance,  // sqrt(variance + eps) (Ba et al. 2016, "Layer Normalization")
  kPlain,     // sqrt(variance) + eps
  kUnbiased,  // the same with the sum of squares over width - 1, as torch.std has it; width > 1
};

/// One layer norm: (x - mean) / deviation * gain + bias, over a row. The variance is the mean squared deviation.
struct LayerNorm {
  const float* gain;  // [width]
  const float* bias;  // [width]
  float eps;
  Deviation deviation = Deviation::kVariance;
};

/// out[r] = norm(x[r]) over rows of `width`. x, out [rows, width], out may be x; any width; no alignment.
void layer_norm(const float* x, const LayerNorm& norm, int rows, int width, float* out);
void layer_norm_reference(const float* x, const LayerNorm& norm, int rows, int width, float* out);

/// Post-norm residual step, in place: x[r] = norm(x[r] + y[r]). y [rows, width].
void add_layer_norm(float* x, const float* y, const LayerNorm& norm, int rows, int width);

}  // namespace dragoman
