#pragma once

#include "kernels/simd.h"

namespace dragoman {

/// exp(x) for x <= 0, as 2^n * 2^f of x / ln 2 = n + f, |f| <= 1/2: off by at most 4e-7 of it down to -5, 4e-6 down to
/// -87; below -88 it is 0. The polynomial has the least largest relative error (9e-8) of its degree with p(0) = 1.
inline v128_t exp4(v128_t x) {
  // 2^-127 has no exponent left: all bits are 0.
  x = wasm_f32x4_pmax(wasm_f32x4_mul(x, wasm_f32x4_splat(1.44269504f)), wasm_f32x4_splat(-127.0f));
  // 1.5 * 2^23 rounds to the nearest integer and leaves it in the lowest bits, from where it joins the exponent.
  const v128_t rounder = wasm_f32x4_splat(12582912.0f);
  const v128_t rounded = wasm_f32x4_add(x, rounder);
  const v128_t f = wasm_f32x4_sub(x, wasm_f32x4_sub(rounded, rounder));
  v128_t p = wasm_f32x4_splat(1.326472709e-3f);
  for (float c : {9.671512682e-3f, 5.550733744e-2f, 2.402224208e-1f, 6.931469776e-1f, 1.0f})
    p = wasm_f32x4_add(wasm_f32x4_mul(p, f), wasm_f32x4_splat(c));
  return wasm_i32x4_add(p, wasm_i32x4_shl(rounded, 23));
}

}  // namespace dragoman
