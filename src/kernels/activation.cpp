#include "kernels/activation.h"

#include <algorithm>
#include <cmath>

#include "kernels/sigmoid.h"

namespace dragoman {
namespace {

v128_t relu4(v128_t x) { return wasm_f32x4_pmax(wasm_f32x4_splat(0), x); }

v128_t gelu_sigmoid4(v128_t x) { return wasm_f32x4_mul(x, sigmoid4(wasm_f32x4_mul(x, wasm_f32x4_splat(1.702f)))); }

v128_t silu4(v128_t x) { return wasm_f32x4_mul(x, sigmoid4(x)); }

// (1 + tanh(u)) / 2 is sigmoid(2 u).
v128_t gelu_tanh4(v128_t x) {
  const v128_t cubic = wasm_f32x4_mul(wasm_f32x4_mul(x, x), wasm_f32x4_splat(0.044715f * 1.5957691216f));
  return wasm_f32x4_mul(x, sigmoid4(wasm_f32x4_mul(x, wasm_f32x4_add(cubic, wasm_f32x4_splat(1.5957691216f)))));
}

// With z = |x| / sqrt(2) and t = 1 / (1 + p z): erf(z) = 1 - t (a1 + t (a2 + ...)) exp(-z^2), within 1.5e-7 (Abramowitz
// and Stegun 1964, 7.1.26); erf(-z) = -erf(z).
v128_t gelu4(v128_t x) {
  const v128_t z = wasm_f32x4_mul(wasm_f32x4_abs(x), wasm_f32x4_splat(0.70710678f)), one = wasm_f32x4_splat(1);
  const v128_t t = wasm_f32x4_div(one, wasm_f32x4_add(one, wasm_f32x4_mul(wasm_f32x4_splat(0.3275911f), z)));
  v128_t p = wasm_f32x4_splat(1.061405429f);
  for (const float a : {-1.453152027f, 1.421413741f, -0.284496736f, 0.254829592f})
    p = wasm_f32x4_add(wasm_f32x4_mul(p, t), wasm_f32x4_splat(a));
  const v128_t rest = wasm_f32x4_mul(wasm_f32x4_mul(p, t), exp4(wasm_f32x4_neg(wasm_f32x4_mul(z, z))));
  const v128_t negative = wasm_f32x4_lt(x, wasm_f32x4_splat(0)), half = wasm_f32x4_mul(wasm_f32x4_splat(0.5f), rest);
  return wasm_f32x4_mul(x, wasm_v128_bitselect(half, wasm_f32x4_sub(one, half), negative));
}

template <v128_t (*kEach)(v128_t)>
void for_each4(float* x, size_t n) {
  size_t k = 0;
  for (; k + 4 <= n; k += 4) wasm_v128_store(x + k, kEach(wasm_v128_load(x + k)));
  if (k == n) return;
  float rest[4] = {};
  std::copy(x + k, x + n, rest);
  wasm_v128_store(rest, kEach(wasm_v128_load(rest)));
  std::copy(rest, rest + (n - k), x + k);
}

}  // namespace

void activate(Activation activation, float* x, size_t n) {
  switch (activation) {
    case Activation::kRelu:
      return for_each4<relu4>(x, n);
    case Activation::kGelu:
      return for_each4<gelu4>(x, n);
    case Activation::kGeluTanh:
      return for_each4<gelu_tanh4>(x, n);
    case Activation::kGeluSigmoid:
      return for_each4<gelu_sigmoid4>(x, n);
    case Activation::kSilu:
      return for_each4<silu4>(x, n);
  }
}

void activate_reference(Activation activation, float* x, size_t n) {
  for (size_t k = 0; k < n; ++k) {
    const double v = x[k];
    const double cubic = std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v);
    x[k] = static_cast<float>(activation == Activation::kRelu          ? std::max(v, 0.0)
                              : activation == Activation::kGelu        ? v * (1 + std::erf(v / std::sqrt(2))) / 2
                              : activation == Activation::kGeluTanh    ? v * (1 + std::tanh(cubic)) / 2
                              : activation == Activation::kGeluSigmoid ? v / (1 + std::exp(-1.702 * v))
                                                                       : v / (1 + std::exp(-v)));
  }
}

}  // namespace dragoman
