#pragma once

namespace dragoman {

/// Post-norm residual step, in place: x[r] = LayerNorm(x[r] + y[r]) * gain + bias, over rows of `width`
/// (Ba et al. 2016, "Layer Normalization"; variance is the mean squared deviation, eps added to it).
/// x, y [rows, width]; gain, bias [width]; any width; no alignment.
void add_layer_norm(float* x, const float* y, const float* gain, const float* bias, int rows, int width, float eps);
void add_layer_norm_reference(float* x, const float* y, const float* gain, const float* bias, int rows, int width,
                              float eps);

}  // namespace dragoman
