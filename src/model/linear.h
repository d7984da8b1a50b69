#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "base/matrix.h"
#include "kernels/int8_product.h"

namespace dragoman {

/// Scratch for the quantised form of one product's input; sized for the largest one.
struct QuantizedScratch {
  /// wide: to thirteen bits, not seven (kernels/quantize.h).
  QuantizedScratch(int max_rows, int max_width, bool wide = false);
  const bool wide;
  std::vector<uint8_t> values;  // [max_rows, max_width rounded up to 4], twice as many if wide
  std::vector<float> scale;     // [max_rows]
  std::vector<int32_t> zero;    // [max_rows]
};

/// Rows on their way into one or several products: int8 weights share one quantisation, float weights need none.
class LinearInput {
 public:
  /// x [rows, width]; `scratch` must not serve another LinearInput meanwhile.
  LinearInput(const float* x, int rows, int width, QuantizedScratch& scratch)
      : x_(x), rows_(rows), width_(width), scratch_(scratch) {}
  ConstMatrixView floats() const { return {x_, rows_, width_}; }
  const QuantizedRows& quantized();

 private:
  const float* x_;
  int rows_, width_;
  QuantizedScratch& scratch_;
  QuantizedRows quantized_{};
  bool is_quantized_ = false;
};

/// Float weights [outputs, width].
struct FloatMatrix {
  Matrix values;
};

/// Int8 weights with one scale an output, packed for the kernel. Owns all but, where it could be packed in place, the
/// bytes.
class Int8Matrix {
 public:
  /// values [outputs, width] row-major; packed in place (and then viewed: keep the bytes) when both are multiples of 4.
  Int8Matrix(std::span<std::byte> values, std::vector<float> scale, int outputs, int width);
  PackedInt8 view() const { return {values_, scale_.data(), sum_.data(), outputs_, width_, (width_ + 3) / 4 * 4}; }
  size_t bytes() const { return packed_bytes(outputs_, width_) + outputs_ * (sizeof scale_[0] + sizeof sum_[0]); }
  /// A copy of some of its rows.
  Int8Matrix select(std::span<const int> outputs) const;

 private:
  Int8Matrix(int outputs, int width);  // of zeros, bytes owned

  std::vector<int8_t> padded_;
  const int8_t* values_;
  std::vector<float> scale_;
  std::vector<int32_t> sum_;
  int outputs_, width_;
};

/// y = x W^T + b, with W [outputs, width] in float or int8.
class Linear {
 public:
  Linear(std::variant<FloatMatrix, Int8Matrix> weights, Vector bias);
  int outputs() const { return static_cast<int>(bias_.size()); }
  /// That it takes.
  size_t bytes() const;
  /// y [rows, outputs] = x W^T + b. y must not overlap x.
  void apply(LinearInput& x, float* y) const;
  /// row [width] = W[n, :], the embedding of token n.
  void row(int n, float* row) const;
  /// A layer with some of the outputs, in that order.
  Linear select(std::span<const int> outputs) const;

 private:
  std::variant<FloatMatrix, Int8Matrix> weights_;
  Vector bias_;  // [outputs]
};

}  // namespace dragoman
