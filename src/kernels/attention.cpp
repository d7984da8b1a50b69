#include "kernels/attention.h"

#include <algorithm>
#include <cmath>

#include "kernels/simd.h"
#include "kernels/softmax.h"

namespace dragoman {
namespace {

float dot(const float* a, const float* b, int n) {
  v128_t sums = wasm_f32x4_splat(0);
  int i = 0;
  for (; i + 4 <= n; i += 4) sums = wasm_f32x4_add(sums, wasm_f32x4_mul(wasm_v128_load(a + i), wasm_v128_load(b + i)));
  float sum = horizontal_sum(sums);
  for (; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

// scores[h, t] = scale * q_h . keys[t]_h of 4 * Quads positions: they share the loads of q and transposed sums.
template <int Quads>
void score(const float* query, const float* keys, const AttentionShape& s, float scale, float* scores) {
  for (int h = 0; h < s.heads; ++h, query += s.head_width, keys += s.head_width, scores += s.length) {
    v128_t sums[4 * Quads];
    for (v128_t& sum : sums) sum = wasm_f32x4_splat(0);
    int i = 0;
    for (; i + 4 <= s.head_width; i += 4) {
      const v128_t x = wasm_v128_load(query + i);
      for (int j = 0; j < 4 * Quads; ++j)
        sums[j] = wasm_f32x4_add(sums[j], wasm_f32x4_mul(x, wasm_v128_load(keys + j * s.stride + i)));
    }
    for (int j = 0; j < 4 * Quads; j += 4) {
      v128_t sum = horizontal_sums(sums[j], sums[j + 1], sums[j + 2], sums[j + 3]);
      const float* k = keys + j * s.stride;
      for (int rest = i; rest < s.head_width; ++rest) {
        const v128_t column =
            wasm_f32x4_make(k[rest], k[s.stride + rest], k[2 * s.stride + rest], k[3 * s.stride + rest]);
        sum = wasm_f32x4_add(sum, wasm_f32x4_mul(wasm_f32x4_splat(query[rest]), column));
      }
      wasm_v128_store(scores + j, wasm_f32x4_mul(sum, wasm_f32x4_splat(scale)));
    }
  }
}

// Position by position over all heads: keys and values are read from front to back, as they lie in memory, because a
// long cache does not stay in L1.
void score_all(const float* query, const float* keys, const AttentionShape& s, float scale, float* scores) {
  int t = 0;
  for (; t + 8 <= s.length; t += 8, keys += 8 * s.stride) score<2>(query, keys, s, scale, scores + t);
  for (; t + 4 <= s.length; t += 4, keys += 4 * s.stride) score<1>(query, keys, s, scale, scores + t);
  for (; t < s.length; ++t, keys += s.stride) {
    for (int h = 0; h < s.heads; ++h) {
      const int offset = h * s.head_width;
      scores[h * s.length + t] = scale * dot(query + offset, keys + offset, s.head_width);
    }
  }
}

// context_h += sum of weights[h, t] * values[t]_h over `Positions` positions, one after the other.
template <int Positions>
void add_weighted(const float* weights, const float* values, const AttentionShape& s, float* context) {
  for (int h = 0; h < s.heads; ++h, weights += s.length, values += s.head_width, context += s.head_width) {
    v128_t w[Positions];
    for (int j = 0; j < Positions; ++j) w[j] = wasm_f32x4_splat(weights[j]);
    int i = 0;
    for (; i + 4 <= s.head_width; i += 4) {
      v128_t sum = wasm_v128_load(context + i);
      for (int j = 0; j < Positions; ++j)
        sum = wasm_f32x4_add(sum, wasm_f32x4_mul(w[j], wasm_v128_load(values + j * s.stride + i)));
      wasm_v128_store(context + i, sum);
    }
    for (; i < s.head_width; ++i)
      for (int j = 0; j < Positions; ++j) context[i] += weights[j] * values[j * s.stride + i];
  }
}

}  // namespace

void attend(const float* query, const float* keys, const float* values, const AttentionShape& s, float* weights,
            float* context) {
  score_all(query, keys, s, 1 / std::sqrt(static_cast<float>(s.head_width)), weights);
  for (int h = 0; h < s.heads; ++h) softmax(weights + h * s.length, s.length);
  std::fill_n(context, s.heads * s.head_width, 0.0f);
  int t = 0;
  for (; t + 8 <= s.length; t += 8, values += 8 * s.stride) add_weighted<8>(weights + t, values, s, context);
  for (; t < s.length; ++t, values += s.stride) add_weighted<1>(weights + t, values, s, context);
}

void attend_reference(const float* query, const float* keys, const float* values, const AttentionShape& s,
                      float* weights, float* context) {
  for (int h = 0; h < s.heads; ++h, weights += s.length) {
    const int offset = h * s.head_width;
    for (int t = 0; t < s.length; ++t) {
      double sum = 0;
      for (int i = 0; i < s.head_width; ++i) sum += query[offset + i] * keys[t * s.stride + offset + i];
      weights[t] = static_cast<float>(sum / std::sqrt(static_cast<double>(s.head_width)));
    }
    softmax_reference(weights, s.length);
    for (int i = 0; i < s.head_width; ++i) {
      double sum = 0;
      for (int t = 0; t < s.length; ++t) sum += weights[t] * values[t * s.stride + offset + i];
      context[offset + i] = static_cast<float>(sum);
    }
  }
}

}  // namespace dragoman
