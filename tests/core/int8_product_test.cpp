#include "kernels/int8_product.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "support.h"

using namespace dragoman;
using test::Random;

namespace {

const AccumulateInt8 kKernels[] = {
    accumulate_int8_simd128,
#ifndef __wasm__  // there they are a module of their own, tested in the browser: tests/web/relaxed-kernels.test.mjs
    accumulate_int8_dot,
    accumulate_int8_pairs,
#endif
};

struct Problem {
  int rows, outputs, width;
  std::vector<int8_t> weights, packed, group;
  std::vector<float> scale, bias;
  std::vector<int32_t> sum;
  std::vector<uint8_t> values;
  std::vector<float> row_scale;
  std::vector<int32_t> zero;

  int stride() const { return (width + 3) / 4 * 4; }
  PackedInt8 matrix() const { return {packed.data(), scale.data(), sum.data(), outputs, width, stride()}; }
  QuantizedRows input() const { return {values.data(), row_scale.data(), zero.data(), rows, width, stride(), form}; }
  Form form = Form::kBytes;
};

Problem random_problem(int rows, int outputs, int width, Random& random, Form form = Form::kBytes) {
  Problem p{rows, outputs, width, {}, {}, {}, {}, {}, {}, {}, {}, {}};
  p.weights.resize(static_cast<size_t>(outputs) * width);
  for (int8_t& w : p.weights) w = static_cast<int8_t>(random.integer(-127, 127));
  p.packed.resize(packed_bytes(outputs, width));
  p.group.resize(4 * static_cast<size_t>(p.stride()));
  p.sum.resize(outputs);
  pack_int8(p.weights.data(), outputs, width, p.packed.data(), p.sum.data(), p.group.data());
  p.scale = random.reals(outputs, 0.001f, 0.01f);
  p.bias = random.reals(outputs, -1, 1);
  const std::vector<float> x = random.reals(static_cast<size_t>(rows) * width, -2, 3);
  p.form = form;
  p.values.resize(static_cast<size_t>(rows) * p.input().row_bytes());
  p.row_scale.resize(rows);
  p.zero.resize(rows);
  quantize_rows(x.data(), rows, width, {p.values.data(), p.row_scale.data(), p.zero.data()}, form);
  return p;
}

}  // namespace

TEST_CASE("int8 accumulators equal the reference exactly, all remainders and misalignments", "[kernels]") {
  Random random(1);
  for (int rows : {1, 2, 3, 4, 5, 6, 7, 8, 9}) {
    for (int groups : {1, 2, 3, 4, 5, 9}) {
      for (int stride : {4, 8, 12, 16, 20, 64, 68}) {
        for (int misalign : {0, 1, 3}) {
          std::vector<uint8_t> a(static_cast<size_t>(rows) * stride + misalign);
          std::vector<int8_t> w(static_cast<size_t>(groups) * 4 * stride + misalign);
          for (uint8_t& v : a) v = static_cast<uint8_t>(random.integer(0, 127));
          for (int8_t& v : w) v = static_cast<int8_t>(random.integer(-128, 127));
          std::vector<int32_t> expected(static_cast<size_t>(rows) * groups * 4);
          accumulate_int8_reference(a.data() + misalign, w.data() + misalign, expected.data(), rows, groups, stride);
          INFO("rows " << rows << " groups " << groups << " stride " << stride << " misalign " << misalign);
          for (AccumulateInt8 kernel : kKernels) {
            std::vector<int32_t> actual(expected.size(), -1);
            kernel(a.data() + misalign, w.data() + misalign, actual.data(), rows, groups, stride);
            REQUIRE(actual == expected);
          }
          std::vector<uint8_t> words(2 * static_cast<size_t>(rows) * stride + misalign);
          for (size_t i = misalign; i + 1 < words.size(); i += 2) {
            words[i] = static_cast<uint8_t>(random.integer(0, 255));
            words[i + 1] = static_cast<uint8_t>(random.integer(0, 31));
          }
          std::vector<int32_t> actual(expected.size(), -1);
          accumulate_words_reference(words.data() + misalign, w.data() + misalign, expected.data(), rows, groups,
                                     stride);
          accumulate_words_simd128(words.data() + misalign, w.data() + misalign, actual.data(), rows, groups, stride);
          REQUIRE(actual == expected);
        }
      }
    }
  }
}

TEST_CASE("int8 accumulators take the extreme values without overflow", "[kernels]") {
  const int stride = 8192;
  const std::vector<uint8_t> a(stride, 127);
  for (int extreme : {-128, -127, 127}) {
    const std::vector<int8_t> w(4 * stride, static_cast<int8_t>(extreme));
    for (AccumulateInt8 kernel : kKernels) {
      int32_t acc[4];
      kernel(a.data(), w.data(), acc, 1, 1, stride);
      for (int32_t sum : acc) REQUIRE(sum == extreme * 127 * stride);
    }
  }
}

TEST_CASE("int8 product equals its definition for all remainders", "[kernels]") {
  Random random(2);
  for (int rows : {1, 2, 3, 5, 33, 34, 66}) {
    for (int outputs : {1, 2, 3, 4, 5, 63, 64, 65, 131}) {
      for (int width : {1, 3, 4, 5, 31, 64, 70}) {
        for (Form form : {Form::kBytes, Form::kWords, Form::kPlanes}) {
          const Problem p = random_problem(rows, outputs, width, random, form);
          std::vector<float> expected(static_cast<size_t>(rows) * outputs), actual(expected.size());
          int8_product_reference(p.input(), p.matrix(), p.bias.data(), expected.data());
          int8_product(p.input(), p.matrix(), p.bias.data(), actual.data());
          INFO("rows " << rows << " outputs " << outputs << " width " << width << " form " << static_cast<int>(form));
          REQUIRE(actual == expected);
        }
      }
    }
  }
}

TEST_CASE("wide products take the extreme values without overflow, however wide, in either form", "[kernels]") {
  for (int width : {64, 2048, 2052, 9000}) {
    std::vector<float> x(width, 1);
    for (int extreme : {-128, 127}) {
      std::vector<int8_t> w(4 * static_cast<size_t>(width), static_cast<int8_t>(extreme)), group(w.size());
      std::vector<int32_t> sum(4);
      pack_int8(w.data(), 4, width, w.data(), sum.data(), group.data());
      const std::vector<float> scale(4, 1), bias(4, 0);
      for (Form form : {Form::kWords, Form::kPlanes}) {
        std::vector<uint8_t> values(2 * static_cast<size_t>(width));
        float row_scale, y[4];
        int32_t zero;
        const QuantizedRows rows = quantize_rows(x.data(), 1, width, {values.data(), &row_scale, &zero}, form);
        int8_product(rows, {w.data(), scale.data(), sum.data(), 4, width, width}, bias.data(), y);
        for (float found : y) REQUIRE(found == Approx(extreme * width).epsilon(1e-4));
      }
    }
  }
}

TEST_CASE("packing in place equals packing elsewhere, and rows can be read back", "[kernels]") {
  Random random(3);
  Problem p = random_problem(1, 12, 20, random);
  std::vector<int8_t> in_place = p.weights;
  pack_int8(in_place.data(), 12, 20, in_place.data(), p.sum.data(), p.group.data());
  REQUIRE(in_place == p.packed);

  Problem odd = random_problem(1, 7, 9, random);
  std::vector<float> row(9);
  for (int n = 0; n < 7; ++n) {
    unpack_row(odd.matrix(), n, row.data());
    for (int k = 0; k < 9; ++k) REQUIRE(row[k] == odd.scale[n] * odd.weights[n * 9 + k]);
  }
}
