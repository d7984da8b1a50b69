#pragma once

namespace dragoman {

/// Index of the largest of x [n], the first one if several are equal; n >= 1, no NaN.
int argmax(const float* x, int n);
int argmax_reference(const float* x, int n);

}  // namespace dragoman
