#pragma once

#include "kernels/simd.h"

namespace dragoman {

/// exp(x) for x <= 0, as 2^n * p(r): Cody-Waite reduction and the polynomial of Cephes' expf; below -87 it is 0.
inline v128_t exp4(v128_t x) {
  const v128_t floor = wasm_f32x4_splat(-87.0f);
  const v128_t kept = wasm_f32x4_ge(x, floor);
  x = wasm_f32x4_pmax(x, floor);
  // 1.5 * 2^23 rounds to the nearest integer and leaves it in the lowest bits, from where it becomes the exponent.
  const v128_t rounder = wasm_f32x4_splat(12582912.0f);
  const v128_t rounded = wasm_f32x4_add(wasm_f32x4_mul(x, wasm_f32x4_splat(1.44269504f)), rounder);
  const v128_t n = wasm_f32x4_sub(rounded, rounder);
  v128_t r = wasm_f32x4_sub(x, wasm_f32x4_mul(n, wasm_f32x4_splat(0.693359375f)));
  r = wasm_f32x4_sub(r, wasm_f32x4_mul(n, wasm_f32x4_splat(-2.12194440e-4f)));
  v128_t p = wasm_f32x4_splat(1.9875691500e-4f);
  for (float c : {1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f})
    p = wasm_f32x4_add(wasm_f32x4_mul(p, r), wasm_f32x4_splat(c));
  p = wasm_f32x4_add(wasm_f32x4_add(wasm_f32x4_mul(wasm_f32x4_mul(p, r), r), r), wasm_f32x4_splat(1));
  const v128_t power = wasm_i32x4_shl(wasm_i32x4_add(rounded, wasm_i32x4_splat(127)), 23);
  return wasm_v128_and(wasm_f32x4_mul(p, power), kept);
}

}  // namespace dragoman
