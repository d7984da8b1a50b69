#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "kernels/int8_product.h"

namespace dragoman::bench {

/// A way to compute int8 products, and the function that only issues its instructions (ceilings.h).
struct Int8Path {
  std::string name;
  AccumulateInt8 kernel;
  int32_t (*issue)(int rounds, int arrangement);
  int products_in_dot;       // pairs of numbers that a dot product of `issue` multiplies: 8, of bytes 16
  Form form = Form::kBytes;  // of the rows
};

/// Checks int8_product with each of the kernels against its definition, then times it beside the ceilings; `stream` as
/// in ceilings.h. [{kernel, rows, outputs, width, gops, computeGops, streamGops, share}]: billions of multiplications
/// and additions a second, of the fastest turns; share is that of the lower ceiling. Throws Error when a result is
/// wrong. Leaves the first path's kernel in use.
nlohmann::json int8_products(const std::vector<Int8Path>& paths, int32_t (*stream)(const int8_t* bytes, int count));

}  // namespace dragoman::bench
