#pragma once

#include <vector>

namespace dragoman {

/// The largest of x [n]; n >= 1, no NaN.
float maximum(const float* x, int n);

/// Index of the largest of x [n], the first one if several are equal; n >= 1, no NaN.
int argmax(const float* x, int n);
int argmax_reference(const float* x, int n);

/// Indices of the `count` largest of x [n], largest first, of equal ones the first first; all of them if n is less.
/// count >= 1, no NaN.
std::vector<int> largest(const float* x, int n, int count);
std::vector<int> largest_reference(const float* x, int n, int count);

}  // namespace dragoman
