// The int8 kernel on a dot product of bytes: relaxed SIMD's in the browser, VNNI or SSSE3 natively.
//
// Debian's Emscripten cannot compile relaxed SIMD (its clang writes opcodes that no browser takes), so a newer clang
// makes a module of its own of this file. That module shares the main module's memory, and its function is put into the
// main module's table where the browser has relaxed SIMD (src/bindings/embind.cpp). Freestanding: no
// library, no stack.
//
// There are two, because processors differ in what a dot product of bytes is made of: see relaxed_dot.h.
#include <stddef.h>
#include <stdint.h>

#include "kernels/relaxed_dot.h"

#if defined(__wasm_relaxed_simd__)
#define EXPORT extern "C" __attribute__((visibility("default")))
#else
#include "kernels/int8_product.h"
#define EXPORT
#endif

namespace dragoman {
namespace {

// Chunks of 4 inputs, from where the pointers stand, which move on. A pointer a stream and constant offsets from it
// leave nearly no address arithmetic to the processor: its ports are those that the products need.
template <int Chunks, class Product, int Rows, int Groups>
inline void add_chunks(const Product& product, const uint8_t* (&a)[Rows], const int8_t* (&w)[Groups],
                       v128_t (&sum)[Rows][Groups]) {
#pragma unroll
  for (int c = 0; c < Chunks; ++c) {
    v128_t weights[Groups];
#pragma unroll
    for (int g = 0; g < Groups; ++g) weights[g] = wasm_v128_load(w[g] + c * 16);
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      const v128_t x = wasm_v128_load32_splat(a[r] + c * 4);
#pragma unroll
      for (int g = 0; g < Groups; ++g) sum[r][g] = product.add(weights[g], x, sum[r][g]);
    }
  }
#pragma unroll
  for (int r = 0; r < Rows; ++r) a[r] += Chunks * 4;
#pragma unroll
  for (int g = 0; g < Groups; ++g) w[g] += Chunks * 16;
}

// Rows x Groups outputs of 4; the accumulators and what they wait for must fit the 16 registers of x86.
template <class Product, int Rows, int Groups>
inline void relaxed_tile(const uint8_t* a, const int8_t* w, int32_t* acc, int acc_stride, int stride) {
  const Product product;
  const uint8_t* rows[Rows];
  const int8_t* groups[Groups];
  v128_t sum[Rows][Groups];
#pragma unroll
  for (int r = 0; r < Rows; ++r) rows[r] = a + (size_t)r * stride;
#pragma unroll
  for (int g = 0; g < Groups; ++g) groups[g] = w + (size_t)g * stride * 4;
#pragma unroll
  for (int r = 0; r < Rows; ++r)
#pragma unroll
    for (int g = 0; g < Groups; ++g) sum[r][g] = wasm_i32x4_splat(0);
  int k = 0;
  for (; k + 8 <= stride; k += 8) add_chunks<2>(product, rows, groups, sum);
  if (k < stride) add_chunks<1>(product, rows, groups, sum);
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
#endif

}  // namespace dragoman
