#pragma once

// The loops that every int8 product is made of. Freestanding, as int8_product_relaxed.cpp is.
#include <stddef.h>
#include <stdint.h>

#if defined(__wasm_relaxed_simd__)
#include <wasm_simd128.h>
#else
#include "kernels/simd.h"
#endif

namespace dragoman {

// A Product says how 4 inputs of 4 outputs (PackedInt8 in int8_product.h) are multiplied and added up:
//   kSize     bytes of an activation
//   kTile     rows x groups of 4 outputs at a time; their sums and what they wait for must fit the 16 registers of x86
//   kUnroll   1 or 2 chunks at a time
//   Weights   weights(const int8_t*): a chunk of 16 weights
//   v128_t    inputs(const uint8_t*): 4 activations, as add() takes them
//   Sum       zero(), add(Weights, v128_t inputs, Sum)
//   v128_t    total(Sum): 4 outputs

// Chunks of 4 inputs, from where the pointers stand, which move on. A pointer a stream and constant offsets from it
// leave nearly no address arithmetic to the processor: its ports are those that the products need.
template <int Chunks, class Product, int Rows, int Groups>
inline void add_chunks(const Product& product, const uint8_t* (&a)[Rows], const int8_t* (&w)[Groups],
                       typename Product::Sum (&sum)[Rows][Groups]) {
#pragma unroll
  for (int c = 0; c < Chunks; ++c) {
    typename Product::Weights weights[Groups];
#pragma unroll
    for (int g = 0; g < Groups; ++g) weights[g] = product.weights(w[g] + c * 16);
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      const v128_t x = product.inputs(a[r] + c * 4 * Product::kSize);
#pragma unroll
      for (int g = 0; g < Groups; ++g) sum[r][g] = product.add(weights[g], x, sum[r][g]);
    }
  }
#pragma unroll
  for (int r = 0; r < Rows; ++r) a[r] += Chunks * 4 * Product::kSize;
#pragma unroll
  for (int g = 0; g < Groups; ++g) w[g] += Chunks * 16;
}

template <class Product, int Rows, int Groups>
inline void accumulate_tile(const uint8_t* a, const int8_t* w, int32_t* acc, int acc_stride, int stride) {
  const Product product;
  const uint8_t* rows[Rows];
  const int8_t* groups[Groups];
  typename Product::Sum sum[Rows][Groups];
#pragma unroll
  for (int r = 0; r < Rows; ++r) rows[r] = a + (size_t)r * stride * Product::kSize;
#pragma unroll
  for (int g = 0; g < Groups; ++g) groups[g] = w + (size_t)g * stride * 4;
#pragma unroll
  for (int r = 0; r < Rows; ++r)
#pragma unroll
    for (int g = 0; g < Groups; ++g) sum[r][g] = product.zero();
  int k = 0;
  if constexpr (Product::kUnroll == 2)
    for (; k + 8 <= stride; k += 8) add_chunks<2>(product, rows, groups, sum);
  for (; k < stride; k += 4) add_chunks<1>(product, rows, groups, sum);
#pragma unroll
  for (int r = 0; r < Rows; ++r)
#pragma unroll
    for (int g = 0; g < Groups; ++g) wasm_v128_store(acc + r * acc_stride + g * 4, product.total(sum[r][g]));
}

template <class Product, int Rows>
inline void accumulate_rows(const uint8_t* a, const int8_t* w, int32_t* acc, int groups, int stride) {
  constexpr int kGroups = Product::kTile / Rows;
  const size_t group_bytes = (size_t)stride * 4;
  int g = 0;
  for (; g + kGroups <= groups; g += kGroups)
    accumulate_tile<Product, Rows, kGroups>(a, w + g * group_bytes, acc + g * 4, groups * 4, stride);
  for (; g < groups; ++g) accumulate_tile<Product, Rows, 1>(a, w + g * group_bytes, acc + g * 4, groups * 4, stride);
}

/// See AccumulateInt8.
template <class Product>
inline void accumulate(const uint8_t* a, const int8_t* weights, int32_t* acc, int rows, int groups, int stride) {
  const size_t row_bytes = (size_t)stride * Product::kSize;
  int r = 0;
  for (; r + 4 <= rows; r += 4)
    accumulate_rows<Product, 4>(a + r * row_bytes, weights, acc + r * groups * 4, groups, stride);
  for (; r + 2 <= rows; r += 2)
    accumulate_rows<Product, 2>(a + r * row_bytes, weights, acc + r * groups * 4, groups, stride);
  for (; r < rows; ++r) accumulate_rows<Product, 1>(a + r * row_bytes, weights, acc + r * groups * 4, groups, stride);
}

}  // namespace dragoman
