#pragma once

#include <cstddef>

namespace dragoman {

/// What stands between the two products of a feed-forward layer, each number by itself.
enum class Activation {
  kRelu,         // max(x, 0)
  kGelu,         // x (1 + erf(x / sqrt(2))) / 2 (Hendrycks and Gimpel 2016)
  kGeluTanh,     // x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2, which that paper takes in its place
  kGeluSigmoid,  // x / (1 + exp(-1.702 x)), likewise
  kSilu,         // x / (1 + exp(-x)), also called swish
};

/// x [n] -> activation(x), in place, n any number, no alignment; within 1e-6 (1 + |x|) of the definition, and the same
/// for a number wherever it stands.
void activate(Activation activation, float* x, size_t n);
void activate_reference(Activation activation, float* x, size_t n);

}  // namespace dragoman
