#pragma once

namespace dragoman {

/// x [n] -> exp(x - max x) / sum, in place; n >= 1, finite. Relative error of each weight below 1e-6.
void softmax(float* x, int n);
void softmax_reference(float* x, int n);

/// log sum_i exp(x[i]) of x [n], n >= 1, finite.
float log_sum_exp(const float* x, int n);

}  // namespace dragoman
