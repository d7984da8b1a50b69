#include "model/linear.h"

namespace dragoman {

QuantizedScratch::QuantizedScratch(int max_rows, int max_width, bool wide)
    : wide(wide),
      values(static_cast<size_t>(max_rows) * (wide ? 2 : 1) * ((max_width + 3) / 4 * 4)),
      scale(max_rows),
      zero(max_rows) {}

const QuantizedRows& LinearInput::quantized() {
  if (!is_quantized_) {
    quantized_ = quantize_rows(x_, rows_, width_, {scratch_.values.data(), scratch_.scale.data(), scratch_.zero.data()},
                               scratch_.wide ? wide_form() : Form::kBytes);
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

Int8Matrix::Int8Matrix(int outputs, int width)
    : padded_(packed_bytes(outputs, width)),
      values_(padded_.data()),
      scale_(outputs),
      sum_(outputs),
      outputs_(outputs),
      width_(width) {}

Int8Matrix Int8Matrix::select(std::span<const int> outputs) const {
  Int8Matrix chosen(static_cast<int>(outputs.size()), width_);
  select_rows(view(), outputs, chosen.padded_.data());
  for (size_t i = 0; i < outputs.size(); ++i) {
    chosen.scale_[i] = scale_[outputs[i]];
    chosen.sum_[i] = sum_[outputs[i]];
  }
  return chosen;
}

Linear::Linear(std::variant<FloatMatrix, Int8Matrix> weights, Vector bias)
    : weights_(std::move(weights)), bias_(std::move(bias)) {}

size_t Linear::bytes() const {
  const auto* int8 = std::get_if<Int8Matrix>(&weights_);
  return (int8 ? int8->bytes() : std::get<FloatMatrix>(weights_).values.size() * sizeof(float)) +
         bias_.size() * sizeof(float);
}

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

Linear Linear::select(std::span<const int> outputs) const {
  Vector bias(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) bias[i] = bias_[outputs[i]];
  if (const auto* int8 = std::get_if<Int8Matrix>(&weights_)) return Linear(int8->select(outputs), std::move(bias));
  const Matrix& values = std::get<FloatMatrix>(weights_).values;
  FloatMatrix chosen{Matrix(outputs.size(), values.cols())};
  for (size_t i = 0; i < outputs.size(); ++i) chosen.values.row(i) = values.row(outputs[i]);
  return Linear(std::move(chosen), std::move(bias));
}

}  // namespace dragoman
