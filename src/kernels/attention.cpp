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

// scores[t] = scale * q . keys[t]: four positions at once share the loads of q and one transposed sum.
void score(const float* q, const float* keys, const AttentionShape& s, float scale, float* scores) {
  int t = 0;
  for (; t + 4 <= s.length; t += 4, keys += 4 * s.stride) {
    v128_t sums[4];
    for (v128_t& sum : sums) sum = wasm_f32x4_splat(0);
    int i = 0;
    for (; i + 4 <= s.head_width; i += 4) {
      const v128_t x = wasm_v128_load(q + i);
      for (int j = 0; j < 4; ++j)
        sums[j] = wasm_f32x4_add(sums[j], wasm_f32x4_mul(x, wasm_v128_load(keys + j * s.stride + i)));
    }
    wasm_v128_store(scores + t, horizontal_sums(sums[0], sums[1], sums[2], sums[3]));
    for (; i < s.head_width; ++i)
      for (int j = 0; j < 4; ++j) scores[t + j] += q[i] * keys[j * s.stride + i];
    for (int j = 0; j < 4; ++j) scores[t + j] *= scale;
  }
  for (; t < s.length; ++t, keys += s.stride) scores[t] = scale * dot(q, keys, s.head_width);
}

// context[0..4*Lanes) = sum_t weights[t] * values[t]: the sums stay in registers over the whole length.
template <int Lanes>
void mix(const float* weights, const float* values, const AttentionShape& s, float* context) {
  v128_t sums[Lanes];
  for (v128_t& sum : sums) sum = wasm_f32x4_splat(0);
  for (int t = 0; t < s.length; ++t, values += s.stride) {
    const v128_t w = wasm_f32x4_splat(weights[t]);
    for (int j = 0; j < Lanes; ++j)
      sums[j] = wasm_f32x4_add(sums[j], wasm_f32x4_mul(w, wasm_v128_load(values + j * 4)));
  }
  for (int j = 0; j < Lanes; ++j) wasm_v128_store(context + j * 4, sums[j]);
}

}  // namespace

void attend(const float* query, const float* keys, const float* values, const AttentionShape& s, float* weights,
            float* context) {
  const float scale = 1 / std::sqrt(static_cast<float>(s.head_width));
  for (int h = 0; h < s.heads; ++h) {
    const int offset = h * s.head_width;
    score(query + offset, keys + offset, s, scale, weights);
    softmax(weights, s.length);
    int i = 0;
    for (; i + 32 <= s.head_width; i += 32) mix<8>(weights, values + offset + i, s, context + offset + i);
    for (; i + 4 <= s.head_width; i += 4) mix<1>(weights, values + offset + i, s, context + offset + i);
    for (; i < s.head_width; ++i) {
      float sum = 0;
      for (int t = 0; t < s.length; ++t) sum += weights[t] * values[t * s.stride + offset + i];
      context[offset + i] = sum;
    }
    weights += s.length;
  }
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
