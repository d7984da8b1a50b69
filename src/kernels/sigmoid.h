#pragma once

#include "kernels/exp.h"

namespace dragoman {

/// 1 / (1 + exp(-x)) for any x. exp4 takes no positive numbers: with e = exp(-|x|) it is 1 / (1 + e), for negative x
/// e / (1 + e).
inline v128_t sigmoid4(v128_t x) {
  const v128_t one = wasm_f32x4_splat(1), e = exp4(wasm_f32x4_neg(wasm_f32x4_abs(x)));
  const v128_t negative = wasm_f32x4_lt(x, wasm_f32x4_splat(0));
  return wasm_f32x4_div(wasm_v128_bitselect(e, one, negative), wasm_f32x4_add(one, e));
}

}  // namespace dragoman
