#pragma once

// The only header that includes Eigen. Everything is row-major: a row is one token's activations.
#include <Eigen/Core>

namespace dragoman {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixView = Eigen::Map<Matrix>;
using ConstMatrixView = Eigen::Map<const Matrix>;
using MatrixBlock = Eigen::Ref<Matrix, 0, Eigen::OuterStride<>>;  // some rows and columns of a matrix
using Vector = Eigen::Matrix<float, 1, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace dragoman
