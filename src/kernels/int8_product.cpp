#include "kernels/int8_product.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "kernels/int8_tile.h"
#include "kernels/simd.h"

namespace dragoman {
namespace {

constexpr int kBlockGroups = 16;  // 64 outputs of width 384 are 24 KB: they stay in L1 while the rows pass
constexpr int kBlockRows = 32;    // even: the planes of a row stay together

struct Kernel {
  AccumulateInt8 accumulate;
  Form wide;
};

#if defined(__AVX512VNNI__) && defined(__AVX512VL__)
constexpr Kernel kDefaultKernel = {accumulate_int8_dot, Form::kPlanes};
#elif defined(__SSSE3__)
constexpr Kernel kDefaultKernel = {accumulate_int8_pairs, Form::kWords};
#else
constexpr Kernel kDefaultKernel = {accumulate_int8_simd128, Form::kWords};
#endif
// All zeros until set: initial values of a thread_local get lost in WebAssembly's link-time optimisation.
thread_local Kernel chosen_kernel = {};

const Kernel& current_kernel() { return chosen_kernel.accumulate ? chosen_kernel : kDefaultKernel; }

// From exact integers to floats: the affine correction, the scales and the bias, for `count` outputs of one row. All
// pointers are those of the first output, and the function stays one: inlined, the loop reads them from the stack.
[[gnu::noinline]] void dequantize(const int32_t* acc, const int32_t* sum, const float* weight_scale, const float* bias,
                                  int count, float scale, int32_t zero, float* y) {
  const v128_t zeros = wasm_i32x4_splat(zero), scales = wasm_f32x4_splat(scale);
  int i = 0;
  for (; i + 4 <= count; i += 4) {
    const v128_t correction = wasm_i32x4_mul(zeros, wasm_v128_load(sum + i));
    const v128_t exact = wasm_f32x4_convert_i32x4(wasm_i32x4_sub(wasm_v128_load(acc + i), correction));
    const v128_t factor = wasm_f32x4_mul(scales, wasm_v128_load(weight_scale + i));
    wasm_v128_store(y + i, wasm_f32x4_add(wasm_f32x4_mul(exact, factor), wasm_v128_load(bias + i)));
  }
  for (; i < count; ++i) y[i] = static_cast<float>(acc[i] - zero * sum[i]) * (scale * weight_scale[i]) + bias[i];
}

// The sums of two planes of one row, one behind the other -> those of the row, in the place of the first.
void join_planes(int32_t* acc, int count) {
  for (int i = 0; i < count; i += 4) {
    const v128_t upper = wasm_i32x4_shl(wasm_v128_load(acc + i), 7);
    wasm_v128_store(acc + i, wasm_i32x4_add(upper, wasm_v128_load(acc + count + i)));
  }
}

// Products of words of 16 bits: two instructions and two additions for the 16 of a chunk.
struct WordProduct {
  static constexpr int kTile = 4;
  struct Weights {
    v128_t low, high;  // of outputs 0 and 1, 2 and 3
  };
  struct Sum {
    v128_t low, high;  // lanes 0 + 1 and 2 + 3 are an output each
  };
  static Weights weights(const int8_t* w) { return {wasm_i16x8_load8x8(w), wasm_i16x8_load8x8(w + 8)}; }
  static Sum zero() { return {wasm_i32x4_splat(0), wasm_i32x4_splat(0)}; }
  static Sum add(const Weights& w, v128_t a, const Sum& sum) {
    return {wasm_i32x4_add(sum.low, wasm_i32x4_dot_i16x8(w.low, a)),
            wasm_i32x4_add(sum.high, wasm_i32x4_dot_i16x8(w.high, a))};
  }
  static v128_t total(const Sum& sum) {
    return wasm_i32x4_add(wasm_i32x4_shuffle(sum.low, sum.high, 0, 2, 4, 6),
                          wasm_i32x4_shuffle(sum.low, sum.high, 1, 3, 5, 7));
  }
};

// Four activations, twice, as 16-bit lanes.
struct Bytes : WordProduct {  // only where there is no relaxed SIMD: small rather than 5 % faster
  static constexpr int kSize = 1, kUnroll = 1;
  static v128_t inputs(const uint8_t* a) { return wasm_u16x8_extend_low_u8x16(wasm_v128_load32_splat(a)); }
};
struct Words : WordProduct {
  static constexpr int kSize = 2, kUnroll = 2;
  static v128_t inputs(const uint8_t* a) { return wasm_v128_load64_splat(a); }
};

template <class Values>
int value_at(const uint8_t* row, int k) {
  int16_t value = 0;
  std::memcpy(&value, row + k * Values::kSize, Values::kSize);
  return value;
}

template <class Values>
void accumulate_reference(const uint8_t* a, const int8_t* weights, int32_t* acc, int rows, int groups, int stride) {
  for (int r = 0; r < rows; ++r) {
    for (int n = 0; n < groups * 4; ++n) {
      const int8_t* w = weights + static_cast<size_t>(n / 4) * stride * 4 + n % 4 * 4;
      const uint8_t* row = a + static_cast<size_t>(r) * stride * Values::kSize;
      int32_t sum = 0;
      for (int k = 0; k < stride; ++k) sum += value_at<Values>(row, k) * w[k / 4 * 16 + k % 4];
      acc[r * groups * 4 + n] = sum;
    }
  }
}

}  // namespace

void accumulate_int8_simd128(const uint8_t* a, const int8_t* weights, int32_t* acc, int rows, int groups, int stride) {
  accumulate<Bytes>(a, weights, acc, rows, groups, stride);
}

void accumulate_words_simd128(const uint8_t* a, const int8_t* weights, int32_t* acc, int rows, int groups, int stride) {
  accumulate<Words>(a, weights, acc, rows, groups, stride);
}

void accumulate_int8_reference(const uint8_t* a, const int8_t* weights, int32_t* acc, int rows, int groups,
                               int stride) {
  accumulate_reference<Bytes>(a, weights, acc, rows, groups, stride);
}

void accumulate_words_reference(const uint8_t* a, const int8_t* weights, int32_t* acc, int rows, int groups,
                                int stride) {
  accumulate_reference<Words>(a, weights, acc, rows, groups, stride);
}

void use_int8_kernel(AccumulateInt8 kernel, Form wide) { chosen_kernel = {kernel, wide}; }

Form wide_form() { return current_kernel().wide; }

void int8_product(const QuantizedRows& x, const PackedInt8& w, const float* bias, float* y) {
  const AccumulateInt8 accumulate = x.form == Form::kWords ? accumulate_words_simd128 : current_kernel().accumulate;
  int32_t acc[kBlockRows * kBlockGroups * 4];
  const int groups = (w.outputs + 3) / 4;
  const int planes = x.form == Form::kPlanes ? 2 : 1, most_rows = kBlockRows / planes;
  for (int g = 0; g < groups; g += kBlockGroups) {
    const int block_groups = std::min(kBlockGroups, groups - g);
    const int first = g * 4, count = std::min(block_groups * 4, w.outputs - first);
    for (int r = 0; r < x.rows; r += most_rows) {
      const int block_rows = std::min(most_rows, x.rows - r);
      accumulate(x.values + static_cast<size_t>(r) * x.row_bytes(), w.values + static_cast<size_t>(g) * 4 * w.stride,
                 acc, block_rows * planes, block_groups, w.stride);
      for (int i = 0; i < block_rows; ++i) {
        int32_t* const sums = acc + i * planes * block_groups * 4;
        if (planes == 2) join_planes(sums, block_groups * 4);
        dequantize(sums, w.sum + first, w.scale + first, bias + first, count, x.scale[r + i], x.zero[r + i],
                   y + static_cast<size_t>(r + i) * w.outputs + first);
      }
    }
  }
}

void int8_product_reference(const QuantizedRows& x, const PackedInt8& w, const float* bias, float* y) {
  for (int r = 0; r < x.rows; ++r) {
    const uint8_t* row = x.values + static_cast<size_t>(r) * x.row_bytes();
    for (int n = 0; n < w.outputs; ++n) {
      const int8_t* weights = w.values + static_cast<size_t>(n / 4) * w.stride * 4 + n % 4 * 4;
      int32_t sum = 0;
      for (int k = 0; k < x.width; ++k) {
        const int value = x.form == Form::kWords    ? value_at<Words>(row, k)
                          : x.form == Form::kPlanes ? 128 * row[k] + row[x.stride + k]
                                                    : row[k];
        sum += (value - x.zero[r]) * weights[k / 4 * 16 + k % 4];
      }
      y[r * w.outputs + n] = static_cast<float>(sum) * (x.scale[r] * w.scale[n]) + bias[n];
    }
  }
}

void pack_int8(const int8_t* weights, int outputs, int width, int8_t* packed, int32_t* sum, int8_t* group) {
  const int stride = (width + 3) / 4 * 4;
  for (int first = 0; first < outputs; first += 4) {
    std::memset(group, 0, static_cast<size_t>(stride) * 4);
    for (int lane = 0; lane < std::min(4, outputs - first); ++lane) {
      const int8_t* row = weights + static_cast<size_t>(first + lane) * width;
      int8_t* out = group + lane * 4;
      int k = 0;
      for (; k + 4 <= width; k += 4) std::memcpy(out + k * 4, row + k, 4);
      std::copy(row + k, row + width, out + k * 4);
      sum[first + lane] = std::accumulate(row, row + width, 0);
    }
    std::memcpy(packed + static_cast<size_t>(first) * stride, group, static_cast<size_t>(stride) * 4);
  }
}

void unpack_row(const PackedInt8& weights, int n, float* row) {
  const int8_t* values = weights.values + static_cast<size_t>(n / 4) * weights.stride * 4 + n % 4 * 4;
  for (int k = 0; k < weights.width; ++k) row[k] = weights.scale[n] * values[k / 4 * 16 + k % 4];
}

void select_rows(const PackedInt8& weights, std::span<const int> outputs, int8_t* packed) {
  const auto at = [&](size_t n) { return n / 4 * weights.stride * 4 + n % 4 * 4; };
  for (size_t i = 0; i < outputs.size(); ++i) {
    const int8_t* from = weights.values + at(outputs[i]);
    int8_t* to = packed + at(i);
    for (int k = 0; k < weights.stride; k += 4) std::memcpy(to + k * 4, from + k * 4, 4);
  }
}

}  // namespace dragoman
