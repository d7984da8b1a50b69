#pragma once

// The dot product of bytes that the fast int8 kernels are made of: relaxed SIMD's in the browser, VNNI or SSSE3
// natively. Freestanding, as int8_product_relaxed.cpp is.
#include <stdint.h>

#if defined(__wasm_relaxed_simd__)
#include <wasm_simd128.h>
#else
#include "kernels/simd.h"
#endif

namespace dragoman {

// Both: lane i of the result is lane i of sum plus the products of the four bytes of w (signed) and a (0..127) in that
// lane. Exact whatever stands behind it: two products of 8 by 7 bits fit 16 bits.

/// What both have of a Product of int8_tile.h.
struct ByteProduct {
  static constexpr int kSize = 1, kTile = 8, kUnroll = 2;
  using Weights = v128_t;
  using Sum = v128_t;
  static v128_t weights(const int8_t* w) { return wasm_v128_load(w); }
  static v128_t inputs(const uint8_t* a) { return wasm_v128_load32_splat(a); }
  static v128_t zero() { return wasm_i32x4_splat(0); }
  static v128_t total(v128_t sum) { return sum; }
};

/// Four products into 32 bits: one instruction with VNNI and on ARM, five where the browser has to put it together.
struct Dot : ByteProduct {
  v128_t add(v128_t w, v128_t a, v128_t sum) const {
#if defined(__wasm_relaxed_simd__)
    return wasm_i32x4_relaxed_dot_i8x16_i7x16_add(w, a, sum);
#elif defined(__AVX512VNNI__) && defined(__AVX512VL__)
    return (v128_t)_mm_dpbusd_epi32((__m128i)sum, (__m128i)a, (__m128i)w);
#else
    const v128_t low = wasm_i32x4_extadd_pairwise_i16x8(wasm_i16x8_extmul_low_i8x16(w, a));
    const v128_t high = wasm_i32x4_extadd_pairwise_i16x8(wasm_i16x8_extmul_high_i8x16(w, a));
    return wasm_i32x4_add(
        sum, wasm_i32x4_add(wasm_i32x4_shuffle(low, high, 0, 2, 4, 6), wasm_i32x4_shuffle(low, high, 1, 3, 5, 7)));
#endif
  }
};

/// Two products into 16 bits, which every x86 does in one instruction, and widened: three.
struct Pairs : ByteProduct {
#if defined(__wasm_relaxed_simd__)
  // A multiplication by ones widens as i32x4.extadd_pairwise does, but V8 loads the ones of that from memory each time,
  // by an address that it builds each time. `one` passes through an empty instruction to stay in a register: as a
  // constant it would be made anew in the loop.
  Pairs() {
    int one = 1;
    __asm__("" : "+r"(one));
    ones = wasm_i16x8_splat(static_cast<int16_t>(one));
  }
  v128_t ones;
  v128_t add(v128_t w, v128_t a, v128_t sum) const {
    return wasm_i32x4_add(sum, wasm_i32x4_dot_i16x8(wasm_i16x8_relaxed_dot_i8x16_i7x16(w, a), ones));
  }
#elif defined(__SSSE3__)
  v128_t add(v128_t w, v128_t a, v128_t sum) const {
    const __m128i pairs = _mm_maddubs_epi16((__m128i)a, (__m128i)w);
    return (v128_t)_mm_add_epi32((__m128i)sum, _mm_madd_epi16(pairs, _mm_set1_epi16(1)));
  }
#else
  v128_t add(v128_t w, v128_t a, v128_t sum) const { return Dot().add(w, a, sum); }
#endif
};

}  // namespace dragoman
