#pragma once

#include <cstdint>
#include <span>

#include "kernels/quantize.h"

namespace dragoman {

/// Weights of an int8 product in the layout that the kernels read: groups of 4 outputs by chunks of 4 inputs,
///   values[((n / 4) * stride / 4 + k / 4) * 16 + (n % 4) * 4 + k % 4] = W[n, k].
/// One 16-byte load then holds 4 inputs of 4 outputs: lane i of the dot product's accumulator belongs to output i, and
/// nothing has to be summed across lanes but at the very end.
struct PackedInt8 {
  const int8_t* values;  // ceil(outputs / 4) groups of 4 * stride bytes; padding is 0
  const float* scale;    // [outputs]
  const int32_t* sum;    // [outputs], sum_k W[n, k]: undoes the activations' zero point
  int outputs;
  int width;
  int stride;  // width rounded up to a multiple of 4
};

/// Bytes of the packed form of W [outputs, width].
inline int64_t packed_bytes(int outputs, int width) {
  return static_cast<int64_t>((outputs + 3) / 4 * 4) * ((width + 3) / 4 * 4);
}

/// W [outputs, width] row-major -> packed. `packed` may be `weights` itself when both dimensions are multiples of 4
/// (each group of 4 rows keeps its place); otherwise it is another block of packed_bytes(outputs, width).
/// `group` is scratch of 4 * stride bytes. Also fills sum [outputs].
void pack_int8(const int8_t* weights, int outputs, int width, int8_t* packed, int32_t* sum, int8_t* group);

/// row [width] = scale[n] * W[n, :] for one output n of packed weights: how embeddings are looked up.
void unpack_row(const PackedInt8& weights, int n, float* row);

/// packed [outputs.size(), width] = the rows `outputs` of packed weights, in that order: a part of an output layer.
/// `packed` is packed_bytes(outputs.size(), width) bytes of zeros.
void select_rows(const PackedInt8& weights, std::span<const int> outputs, int8_t* packed);

/// y [x.rows, outputs] with
///   y[r, n] = x.scale[r] * scale[n] * (sum_k x.values[r, k] * W[n, k] - x.zero[r] * sum[n]) + bias[n].
/// Requires x.width == weights.width; int32 accumulators are exact for widths up to 130,000 (127 * 128 * width < 2^31).
/// Each row's result is the same whatever rows stand beside it. No alignment is needed.
void int8_product(const QuantizedRows& x, const PackedInt8& weights, const float* bias, float* y);

/// The definition of int8_product.
void int8_product_reference(const QuantizedRows& x, const PackedInt8& weights, const float* bias, float* y);

/// The inner kernel, all integers: acc[r * 4 * groups + n] = sum_k a[r, k] * W[n, k] for r < rows, n < 4 * groups.
/// a [rows, stride] in 0..127; weights as in PackedInt8; stride a multiple of 4.
using AccumulateInt8 = void (*)(const uint8_t* a, const int8_t* weights, int32_t* acc, int rows, int groups,
                                int stride);

void accumulate_int8_reference(const uint8_t* a, const int8_t* weights, int32_t* acc, int rows, int groups, int stride);
void accumulate_int8_simd128(const uint8_t* a, const int8_t* weights, int32_t* acc, int rows, int groups, int stride);
/// The same of rows of words, Form::kWords.
void accumulate_words_reference(const uint8_t* a, const int8_t* weights, int32_t* acc, int rows, int groups,
                                int stride);
void accumulate_words_simd128(const uint8_t* a, const int8_t* weights, int32_t* acc, int rows, int groups, int stride);
/// These two natively only: in the browser they are a module of their own (int8_product_relaxed.cpp).
void accumulate_int8_dot(const uint8_t* a, const int8_t* weights, int32_t* acc, int rows, int groups, int stride);
void accumulate_int8_pairs(const uint8_t* a, const int8_t* weights, int32_t* acc, int rows, int groups, int stride);

/// The kernel that int8_product runs over bytes from now on in the calling thread: in a browser each thread has a
/// function table of its own. At first it is the best one that this build has for the machine it was made for. All give
/// the same integers, so results do not depend on it. `wide`: the form in which thirteen bits cost the least beside it.
/// Two planes are best where a dot product of bytes is one instruction, words where it is three.
void use_int8_kernel(AccumulateInt8 kernel, Form wide);

/// See use_int8_kernel.
Form wide_form();

}  // namespace dragoman
