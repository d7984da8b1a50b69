// See ceilings.h. Freestanding: no library, no stack.
#include "ceilings.h"

#include "kernels/relaxed_dot.h"

#define EXPORT __attribute__((visibility("default")))

namespace dragoman::bench {
namespace {

// Eight 16-bit products, as in the plain kernel.
struct Words {
  v128_t add(v128_t w, v128_t a, v128_t sum) const { return wasm_i32x4_add(sum, wasm_i32x4_dot_i16x8(w, a)); }
};

template <int Count>
inline void fill(v128_t (&values)[Count], int seed) {
#pragma unroll
  for (int i = 0; i < Count; ++i) values[i] = wasm_i32x4_splat((i * 0x01030507 + seed) & 0x7f7f7f7f);
}

template <int Count>
inline int32_t fold(const v128_t (&values)[Count]) {
  v128_t all = values[0];
#pragma unroll
  for (int i = 1; i < Count; ++i) all = wasm_v128_xor(all, values[i]);
  return wasm_i32x4_extract_lane(all, 0) ^ wasm_i32x4_extract_lane(all, 1) ^ wasm_i32x4_extract_lane(all, 2) ^
         wasm_i32x4_extract_lane(all, 3);
}

// In both of the following the weights of a product are sums of earlier ones: were they constants, a compiler would
// take the products out of the loop.

// For products that add in the same instruction, each addition waiting for the one before: as many sums as there are
// registers.
template <class Product>
inline int32_t issue_to_many_sums(int rounds) {
  constexpr int kSums = 12;
  const Product product;
  v128_t sums[kSums], a[1];
  fill(sums, rounds);
  fill(a, rounds);
  constexpr int kRepeats = 2;  // of an unrolled loop
  for (int n = 0; n < rounds * kRepeats; ++n) {
#pragma unroll
    for (int i = 0; i < kDotsInRound / kRepeats; ++i) {
      v128_t& sum = sums[i % kSums];
      sum = product.add(sums[(i + 1) % kSums], a[0], sum);
    }
  }
  return fold(sums);
}

// For products that take long before they are added: two sums at a time, which then rest before they serve as weights.
template <class Product>
inline int32_t issue_to_few_sums(int rounds) {
  constexpr int kSums = 8, kFactors = 4;
  const Product product;
  v128_t sums[kSums], a[kFactors];
  fill(sums, rounds);
  fill(a, rounds);
  constexpr int kRepeats = kDotsInRound / (kSums * kFactors);  // of an unrolled loop
  for (int n = 0; n < rounds * kRepeats; ++n) {
#pragma unroll
    for (int turn = 0; turn < kSums; ++turn)
#pragma unroll
      for (int k = 0; k < kFactors; ++k) {
        v128_t& sum = sums[(turn + kSums - 2 + k % 2) % kSums];
        sum = product.add(sums[turn], a[k], sum);
      }
  }
  return fold(sums);
}

template <class Product>
inline int32_t issue(int rounds, int arrangement) {
  return arrangement == 0 ? issue_to_many_sums<Product>(rounds) : issue_to_few_sums<Product>(rounds);
}

}  // namespace

EXPORT int32_t stream(const int8_t* bytes, int count) {
  v128_t seen[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) seen[i] = wasm_i32x4_splat(i);
  for (int k = 0; k < count; k += 128) {
#pragma unroll
    for (int i = 0; i < 8; ++i) seen[i] = wasm_v128_xor(seen[i], wasm_v128_load(bytes + k + i * 16));
  }
  return fold(seen);
}

EXPORT int32_t issue_plain(int rounds, int arrangement) { return issue<Words>(rounds, arrangement); }
EXPORT int32_t issue_dot(int rounds, int arrangement) { return issue<Dot>(rounds, arrangement); }
EXPORT int32_t issue_pairs(int rounds, int arrangement) { return issue<Pairs>(rounds, arrangement); }

}  // namespace dragoman::bench
