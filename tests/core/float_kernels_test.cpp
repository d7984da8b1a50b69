#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <limits>

#include "kernels/activation.h"
#include "kernels/argmax.h"
#include "kernels/attention.h"
#include "kernels/exp.h"
#include "kernels/layer_norm.h"
#include "kernels/quantize.h"
#include "kernels/softmax.h"
#include "kernels/ssru.h"
#include "support.h"

using namespace dragoman;
using test::Random;

namespace {

void require_close(const std::vector<float>& actual, const std::vector<float>& expected, float tolerance) {
  REQUIRE(actual.size() == expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    INFO("at " << i);
    REQUIRE(actual[i] == Approx(expected[i]).margin(tolerance));
  }
}

}  // namespace

TEST_CASE("quantised rows equal their definition for all widths", "[kernels]") {
  Random random(4);
  for (int width = 1; width <= 70; ++width) {
    for (auto [least, most] : {std::pair{-2.0f, 3.0f},
                               {0.0f, 5.0f},
                               {-4.0f, 0.0f},
                               {0.0f, 0.0f},
                               {-1e-30f, 1e20f},
                               {-1e-44f, 1e-44f},
                               {0.0f, 2e-30f},
                               {-1e-35f, 1e-35f}}) {
      const int rows = 3, stride = (width + 3) / 4 * 4;
      const Form form = std::array{Form::kBytes, Form::kWords, Form::kPlanes}[random.integer(0, 2)];
      const std::vector<float> x = random.reals(static_cast<size_t>(rows) * width + 1, least, most);
      std::vector<uint8_t> expected(rows * 2 * stride, 255), actual(rows * 2 * stride, 255);
      std::vector<float> expected_scale(rows), actual_scale(rows);
      std::vector<int32_t> expected_zero(rows), actual_zero(rows);
      // x + 1: not aligned
      quantize_rows_reference(x.data() + 1, rows, width, {expected.data(), expected_scale.data(), expected_zero.data()},
                              form);
      quantize_rows(x.data() + 1, rows, width, {actual.data(), actual_scale.data(), actual_zero.data()}, form);
      REQUIRE(actual == expected);
      REQUIRE(actual_scale == expected_scale);
      REQUIRE(actual_zero == expected_zero);
    }
  }
}

TEST_CASE("quantised rows equal those of the numpy reference to the bit", "[kernels]") {
  const auto golden = test::read_json(test::data("quantised-rows.json"));
  const int rows = golden["rows"], width = golden["width"];
  std::vector<float> x(static_cast<size_t>(rows) * width);
  for (uint32_t i = 0; i < x.size(); ++i) {  // as in scripts/models/make_goldens.py
    uint32_t hash = i * 0x9E3779B9u;
    hash = (hash ^ hash >> 16) * 0x85EBCA6Bu;
    hash = (hash ^ hash >> 13) * 0xC2B2AE35u;
    hash ^= hash >> 16;
    x[i] = static_cast<float>(hash >> 8) / (1 << 23) - 1;
  }
  const auto hex = [](const auto& array) {
    char text[17];
    const auto hash = XXH64(array.data(), array.size() * sizeof(array[0]), 0);
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
    return std::string(text);
  };
  for (const auto quantize : {quantize_rows, quantize_rows_reference}) {
    for (const auto& [form, name] : {std::pair{Form::kBytes, "bytes"}, {Form::kWords, "words"}}) {
      std::vector<uint8_t> values(x.size() * (form == Form::kBytes ? 1 : 2));
      std::vector<float> scale(rows);
      std::vector<int32_t> zero(rows);
      quantize(x.data(), rows, width, {values.data(), scale.data(), zero.data()}, form);
      CHECK(hex(values) == golden[name]["values"].get<std::string>());
      CHECK(hex(zero) == golden[name]["zero"].get<std::string>());
      CHECK(hex(scale) == golden[name]["scale"].get<std::string>());
    }
  }
}

TEST_CASE("a quantised row is within half a step of what it stands for", "[kernels]") {
  Random random(5);
  const int width = 61, stride = 64;
  const std::vector<float> x = random.reals(width, -1.5f, 4);
  for (Form form : {Form::kBytes, Form::kWords, Form::kPlanes}) {
    std::vector<uint8_t> q(2 * stride);
    float scale;
    int32_t zero;
    quantize_rows(x.data(), 1, width, {q.data(), &scale, &zero}, form);
    CHECK(scale == Approx(5.5 / (form == Form::kBytes ? 127 : 8191)).epsilon(0.1));
    for (int k = 0; k < width; ++k) {
      const int value = form == Form::kBytes   ? q[k]
                        : form == Form::kWords ? q[2 * k] + 256 * q[2 * k + 1]
                                               : 128 * q[k] + q[stride + k];
      REQUIRE(std::abs(scale * static_cast<float>(value - zero) - x[k]) <= scale * 1.01f);
    }
  }
}

TEST_CASE("the exponential is as near as it says, from 0 down to where it is none", "[kernels]") {
  for (float x = 0; x > -87; x -= 0.0007f) {
    float lanes[4];
    wasm_v128_store(lanes, exp4(wasm_f32x4_splat(x)));
    const double expected = std::exp(static_cast<double>(x));
    INFO(x);
    REQUIRE(std::abs(lanes[0] - expected) <= expected * (x >= -5 ? 4e-7 : 4e-6));
  }
  for (const float x : {-88.1f, -1e30f, -std::numeric_limits<float>::infinity()}) {
    float lanes[4];
    wasm_v128_store(lanes, exp4(wasm_f32x4_splat(x)));
    REQUIRE(lanes[3] == 0);
  }
}

TEST_CASE("softmax and log-sum-exp for all lengths, and far apart values", "[kernels]") {
  Random random(6);
  for (int n = 1; n <= 67; ++n) {
    for (float spread : {0.0f, 1.0f, 30.0f, 1000.0f}) {
      std::vector<float> actual = random.reals(n + 1, -spread, spread), expected = actual;
      const std::vector<float> x(actual.begin() + 1, actual.end());
      softmax(actual.data() + 1, n);
      softmax_reference(expected.data() + 1, n);
      require_close(actual, expected, 1e-6f);
      double sum = 0;
      const double max = *std::max_element(x.begin(), x.end());
      for (float v : x) sum += std::exp(v - max);
      REQUIRE(log_sum_exp(x.data(), n) == Approx(max + std::log(sum)).margin(1e-5));
    }
  }
}

TEST_CASE("layer norm, alone and of a residual sum, by every deviation, for all widths", "[kernels]") {
  Random random(7);
  for (const Deviation deviation : {Deviation::kVariance, Deviation::kPlain, Deviation::kUnbiased}) {
    for (int width = 2; width <= 37; ++width) {  // of one number the deviation is rounding noise
      const int rows = 2;
      std::vector<float> sum = random.reals(static_cast<size_t>(rows) * width, -3, 5), expected(sum.size());
      const auto y = random.reals(sum.size(), -1, 1), gain = random.reals(width, 0.5f, 2),
                 bias = random.reals(width, -1, 1);
      const LayerNorm norm{gain.data(), bias.data(), 1e-3f, deviation};
      std::vector<float> alone(sum.size() + 1, 77), x = sum;
      layer_norm(x.data(), norm, rows, width, alone.data() + 1);  // + 1: not aligned
      layer_norm_reference(x.data(), norm, rows, width, expected.data());
      require_close({alone.begin() + 1, alone.end()}, expected, 2e-5f);
      CHECK(alone[0] == 77);
      add_layer_norm(sum.data(), y.data(), norm, rows, width);
      for (size_t i = 0; i < x.size(); ++i) x[i] += y[i];
      layer_norm_reference(x.data(), norm, rows, width, expected.data());
      require_close(sum, expected, 2e-5f);
      layer_norm(x.data(), norm, rows, width, x.data());  // in place
      CHECK(x == sum);
    }
  }
}

TEST_CASE("the deviations of a layer norm", "[kernels]") {
  const std::vector<float> x = {1, 3}, one(2, 1), zero(2, 0);  // variance 1, of one number less 2
  std::vector<float> out(2);
  for (const auto& [deviation, divisor] : {std::pair{Deviation::kVariance, std::sqrt(1.5f)},
                                           {Deviation::kPlain, 1.5f},
                                           {Deviation::kUnbiased, std::sqrt(2.0f) + 0.5f}}) {
    layer_norm(x.data(), {one.data(), zero.data(), 0.5f, deviation}, 1, 2, out.data());
    require_close(out, {-1 / divisor, 1 / divisor}, 1e-6f);
  }
}

TEST_CASE("layer norm does not lose small deviations beside a large mean", "[kernels]") {
  std::vector<float> x = {10001, 10002, 10003, 10004, 10005};
  const std::vector<float> zero(5, 0), one(5, 1);
  add_layer_norm(x.data(), zero.data(), {one.data(), zero.data(), 1e-6f}, 1, 5);
  require_close(x, {-1.41421f, -0.70711f, 0, 0.70711f, 1.41421f}, 1e-3f);
}

TEST_CASE("activations equal their definitions, everywhere and for all lengths", "[kernels]") {
  Random random(17);
  const Activation all[] = {Activation::kRelu, Activation::kGelu, Activation::kGeluTanh, Activation::kGeluSigmoid,
                            Activation::kSilu};
  for (const Activation activation : all) {
    for (size_t n = 1; n <= 9; ++n) {
      std::vector<float> actual = random.reals(n + 2, -4, 4), expected = actual;
      activate(activation, actual.data() + 1, n);  // + 1: not aligned
      activate_reference(activation, expected.data() + 1, n);
      require_close(actual, expected, 1e-6f);
    }
    std::vector<float> x;
    for (float v = -20; v <= 20; v += 0.003f) x.push_back(v);
    for (const float v : {0.0f, -0.0f, 1e-30f, -1e-30f, 100.0f, -100.0f, 1e14f, -1e14f, 1e30f, -1e30f}) x.push_back(v);
    std::vector<float> actual = x, expected = x;
    activate(activation, actual.data(), actual.size());
    activate_reference(activation, expected.data(), expected.size());
    for (size_t i = 0; i < x.size(); ++i) {
      INFO("of " << x[i] << ": " << actual[i] << ", not " << expected[i]);
      REQUIRE(std::abs(actual[i] - expected[i]) <= 1e-6f * (1 + std::abs(x[i])));
    }
  }
}

TEST_CASE("attention for all lengths and head widths", "[kernels]") {
  Random random(8);
  for (int heads : {1, 3}) {
    for (int head_width : {1, 2, 3, 4, 5, 7, 8, 31, 32, 33, 64}) {
      for (int length : {1, 2, 3, 4, 5, 8, 13}) {
        const int width = heads * head_width, stride = width + 3;
        const AttentionShape shape{heads, head_width, length, stride};
        const auto q = random.reals(width, -2, 2);
        const auto k = random.reals(static_cast<size_t>(length) * stride, -2, 2);
        const auto v = random.reals(static_cast<size_t>(length) * stride, -2, 2);
        std::vector<float> weights(heads * length), context(width), weights_expected(weights), expected(width);
        attend(q.data(), k.data(), v.data(), shape, weights.data(), context.data());
        attend_reference(q.data(), k.data(), v.data(), shape, weights_expected.data(), expected.data());
        INFO("heads " << heads << " head width " << head_width << " length " << length);
        require_close(weights, weights_expected, 1e-5f);
        require_close(context, expected, 1e-5f);
      }
    }
  }
}

TEST_CASE("maximum and argmax for all lengths, argmax takes the first of equal values", "[kernels]") {
  Random random(9);
  for (int n = 1; n <= 80; ++n) {
    std::vector<float> x = random.reals(n, -5, 5);
    REQUIRE(argmax(x.data(), n) == argmax_reference(x.data(), n));
    REQUIRE(maximum(x.data(), n) == x[argmax_reference(x.data(), n)]);
    const int first = random.integer(0, n - 1);
    for (int i = first; i < n; i += 3) x[i] = 7;
    REQUIRE(argmax(x.data(), n) == first);
    std::fill(x.begin(), x.end(), -1.0f);
    REQUIRE(argmax(x.data(), n) == 0);
  }
}

TEST_CASE("the largest values for all lengths, of equal ones the first", "[kernels]") {
  Random random(19);
  for (int n = 1; n <= 80; ++n) {
    for (const int count : {1, 2, 8, 33}) {
      std::vector<float> x = random.reals(n, -5, 5);
      REQUIRE(largest(x.data(), n, count) == largest_reference(x.data(), n, count));
      for (float& value : x) value = std::round(value);
      REQUIRE(largest(x.data(), n, count) == largest_reference(x.data(), n, count));
      std::sort(x.begin(), x.end());
      REQUIRE(largest(x.data(), n, count) == largest_reference(x.data(), n, count));
    }
  }
}

TEST_CASE("a step of an SSRU equals its definition for all widths", "[kernels]") {
  Random random(15);
  for (int width = 1; width <= 40; ++width) {
    for (const float most : {1.0f, 30.0f, 1e4f}) {
      const auto forget = random.reals(width + 1, -most, most), candidate = random.reals(width + 1, -most, most);
      std::vector<float> cell = random.reals(width, -most, most), expected_cell = cell;
      std::vector<float> out(width + 1, -1), expected(width + 1, -1);
      // + 1: not aligned
      ssru_step_reference(forget.data() + 1, candidate.data() + 1, expected_cell.data(), expected.data(), width);
      ssru_step(forget.data() + 1, candidate.data() + 1, cell.data(), out.data(), width);
      require_close(out, expected, most * 1e-6f);
      require_close(cell, expected_cell, most * 1e-6f);
      CHECK(out[width] == -1);
    }
  }
}
