// The int8 kernel on a dot product of bytes: relaxed SIMD's in the browser, VNNI or SSSE3 natively.
//
// Debian's Emscripten cannot compile relaxed SIMD (its clang writes opcodes that no browser takes), so a newer clang
// makes a module of its own of this file. That module shares the main module's memory, and its function is put into the
// main module's table where the browser has relaxed SIMD (web/relaxed-kernels.js, use_int8_kernel). Freestanding: no
// library, no stack.
//
// There are two, because processors differ. `dot` sums four products into 32 bits: one instruction with VNNI and on
// ARM, five where the browser has to put it together. `pairs` sums two products into 16 bits, which every x86 does in
// one, and widens: three.
#include <stddef.h>
#include <stdint.h>

#if defined(__wasm_relaxed_simd__)
#include <wasm_simd128.h>
#define EXPORT extern "C" __attribute__((visibility("default")))
#else
#include "kernels/int8_product.h"
#include "kernels/simd.h"
#define EXPORT
namespace dragoman {
#endif

namespace {

// Both: lane i of the result is lane i of sum plus the products of the four bytes of w (signed) and a (0..127) in that
// lane. Exact whatever stands behind it: two products of 8 by 7 bits fit 16 bits.
struct Dot {
  static inline v128_t add(v128_t w, v128_t a, v128_t sum) {
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

struct Pairs {
  static inline v128_t add(v128_t w, v128_t a, v128_t sum) {
#if defined(__wasm_relaxed_simd__)
    return wasm_i32x4_add(sum, wasm_i32x4_extadd_pairwise_i16x8(wasm_i16x8_relaxed_dot_i8x16_i7x16(w, a)));
#elif defined(__SSSE3__)
    const __m128i pairs = _mm_maddubs_epi16((__m128i)a, (__m128i)w);
    return (v128_t)_mm_add_epi32((__m128i)sum, _mm_madd_epi16(pairs, _mm_set1_epi16(1)));
#else
    return Dot::add(w, a, sum);
#endif
  }
};

// Rows x Groups outputs of 4; the accumulators and what they wait for must fit the 16 registers of x86.
template <class Product, int Rows, int Groups>
inline void relaxed_tile(const uint8_t* a, const int8_t* w, int32_t* acc, int acc_stride, int stride) {
  v128_t sum[Rows][Groups];
#pragma unroll
  for (int r = 0; r < Rows; ++r)
#pragma unroll
    for (int g = 0; g < Groups; ++g) sum[r][g] = wasm_i32x4_splat(0);
  for (int k = 0; k < stride; k += 4) {
    v128_t weights[Groups];
#pragma unroll
    for (int g = 0; g < Groups; ++g) weights[g] = wasm_v128_load(w + ((size_t)g * stride + k) * 4);
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      const v128_t x = wasm_v128_load32_splat(a + (size_t)r * stride + k);
#pragma unroll
      for (int g = 0; g < Groups; ++g) sum[r][g] = Product::add(weights[g], x, sum[r][g]);
    }
  }
#pragma unroll
  for (int r = 0; r < Rows; ++r)
#pragma unroll
    for (int g = 0; g < Groups; ++g) wasm_v128_store(acc + r * acc_stride + g * 4, sum[r][g]);
}

template <class Product, int Rows, int Groups>
inline void relaxed_rows(const uint8_t* a, const int8_t* w, int32_t* acc, int groups, int stride) {
  const size_t group_bytes = (size_t)stride * 4;
  int g = 0;
  for (; g + Groups <= groups; g += Groups)
    relaxed_tile<Product, Rows, Groups>(a, w + g * group_bytes, acc + g * 4, groups * 4, stride);
  for (; g < groups; ++g) relaxed_tile<Product, Rows, 1>(a, w + g * group_bytes, acc + g * 4, groups * 4, stride);
}

template <class Product>
inline void accumulate(const uint8_t* a, const int8_t* weights, int32_t* acc, int rows, int groups, int stride) {
  int r = 0;
  for (; r + 4 <= rows; r += 4)
    relaxed_rows<Product, 4, 2>(a + (size_t)r * stride, weights, acc + r * groups * 4, groups, stride);
  for (; r + 2 <= rows; r += 2)
    relaxed_rows<Product, 2, 4>(a + (size_t)r * stride, weights, acc + r * groups * 4, groups, stride);
  for (; r < rows; ++r)
    relaxed_rows<Product, 1, 8>(a + (size_t)r * stride, weights, acc + r * groups * 4, groups, stride);
}

}  // namespace

/// See AccumulateInt8.
EXPORT void accumulate_int8_dot(const uint8_t* a, const int8_t* weights, int32_t* acc, int rows, int groups,
                                int stride) {
  accumulate<Dot>(a, weights, acc, rows, groups, stride);
}

EXPORT void accumulate_int8_pairs(const uint8_t* a, const int8_t* weights, int32_t* acc, int rows, int groups,
                                  int stride) {
  accumulate<Pairs>(a, weights, acc, rows, groups, stride);
}

#if defined(__wasm_relaxed_simd__)
/// A lane of the dot product of bytes that are all w and all a. With w = 127 and a = 255, outside of what the standard
/// defines, the answer tells what it is made of: 65534 (each pair saturated at 32767) where the browser puts it
/// together from pairs; the exact 129540 with VNNI; -508 where a counts as signed, on ARM.
EXPORT int32_t probe_dot(int w, int a) {
  return wasm_i32x4_extract_lane(wasm_i32x4_relaxed_dot_i8x16_i7x16_add(
                                     wasm_i8x16_splat((int8_t)w), wasm_i8x16_splat((int8_t)a), wasm_i32x4_splat(0)),
                                 0);
}
#else
}  // namespace dragoman
#endif
