#include "model/linear.h"

namespace dragoman {

QuantizedScratch::QuantizedScratch(int max_rows, int max_width)
    : values(static_cast<size_t>(max_rows) * ((max_width + 3) / 4 * 4)), scale(max_rows), zero(max_rows) {}

const QuantizedRows& LinearInput::quantized() {
  if (!is_quantized_) {
    quantized_ =
        quantize_rows(x_, rows_, width_, {scratch_.values.data(), scratch_.scale.data(), scratch_.zero.data()});
    is_quantized_ = true;
  }
  return quantized_;
}

Int8Matrix::Int8Matrix(std::span<std::byte> values, std::vector<float> scale, int outputs, int width)
    : scale_(std::move(scale)), sum_(outputs), outputs_(outputs), width_(width) {
  auto* bytes = reinterpret_cast<int8_t*>(values.data());
  std::vector<int8_t> group(static_cast<size_t>((width + 3) / 4 * 4) * 4);
  if (outputs % 4 != 0 || width % 4 != 0) padded_.resize(packed_bytes(outputs, width));
  int8_t* packed = padded_.empty() ? bytes : padded_.data();
  pack_int8(bytes, outputs, width, packed, sum_.data(), group.data());
  values_ = packed;
}

Linear::Linear(std::variant<FloatMatrix, Int8Matrix> weights, Vector bias)
    : weights_(std::move(weights)), bias_(std::move(bias)) {}

void Linear::apply(LinearInput& x, float* y) const {
  if (const auto* int8 = std::get_if<Int8Matrix>(&weights_)) {
    int8_product(x.quantized(), int8->view(), bias_.data(), y);
  } else {
    const ConstMatrixView in = x.floats();
    MatrixView out(y, in.rows(), outputs());
    out.noalias() = in * std::get<FloatMatrix>(weights_).values.transpose();
    out.rowwise() += bias_;
  }
}

void Linear::row(int n, float* row) const {
  if (const auto* int8 = std::get_if<Int8Matrix>(&weights_)) {
    unpack_row(int8->view(), n, row);
  } else {
    const Matrix& values = std::get<FloatMatrix>(weights_).values;
    Vector::Map(row, values.cols()) = values.row(n);
  }
}

}  // namespace dragoman
