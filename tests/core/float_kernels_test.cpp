#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>

#include "kernels/argmax.h"
#include "kernels/attention.h"
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
      const std::vector<float> x = random.reals(static_cast<size_t>(rows) * width + 1, least, most);
      std::vector<uint8_t> expected(rows * stride, 255), actual(rows * stride, 255);
      std::vector<float> expected_scale(rows), actual_scale(rows);
      std::vector<int32_t> expected_zero(rows), actual_zero(rows);
      // x + 1: not aligned
      quantize_rows_reference(x.data() + 1, rows, width,
                              {expected.data(), expected_scale.data(), expected_zero.data()});
      quantize_rows(x.data() + 1, rows, width, {actual.data(), actual_scale.data(), actual_zero.data()});
      REQUIRE(actual == expected);
      REQUIRE(actual_scale == expected_scale);
      REQUIRE(actual_zero == expected_zero);
    }
  }
}

TEST_CASE("quantised rows equal those of the numpy reference to the bit", "[kernels]") {
  const auto golden = nlohmann::json::parse(test::read_text(test::data("quantised-rows.json")));
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
    std::vector<uint8_t> values(x.size());
    std::vector<float> scale(rows);
    std::vector<int32_t> zero(rows);
    quantize(x.data(), rows, width, {values.data(), scale.data(), zero.data()});
    CHECK(hex(values) == golden["values"]);
    CHECK(hex(zero) == golden["zero"]);
    CHECK(hex(scale) == golden["scale"]);
  }
}

TEST_CASE("a quantised row is within half a step of what it stands for", "[kernels]") {
  Random random(5);
  const int width = 64;
  const std::vector<float> x = random.reals(width, -1.5f, 4);
  std::vector<uint8_t> values(width);
  float scale;
  int32_t zero;
  quantize_rows(x.data(), 1, width, {values.data(), &scale, &zero});
  for (int k = 0; k < width; ++k) REQUIRE(std::abs(scale * (values[k] - zero) - x[k]) <= scale * 1.01f);
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

TEST_CASE("layer norm of a residual sum for all widths", "[kernels]") {
  Random random(7);
  for (int width = 1; width <= 37; ++width) {
    const int rows = 2;
    std::vector<float> actual = random.reals(static_cast<size_t>(rows) * width, -3, 5), expected = actual;
    const auto y = random.reals(actual.size(), -1, 1), gain = random.reals(width, 0.5f, 2),
               bias = random.reals(width, -1, 1);
    add_layer_norm(actual.data(), y.data(), gain.data(), bias.data(), rows, width, 1e-6f);
    add_layer_norm_reference(expected.data(), y.data(), gain.data(), bias.data(), rows, width, 1e-6f);
    if (width == 1) continue;  // the deviation is rounding noise, which eps does not dominate
    require_close(actual, expected, 2e-5f);
  }
}

TEST_CASE("layer norm does not lose small deviations beside a large mean", "[kernels]") {
  std::vector<float> x = {10001, 10002, 10003, 10004, 10005};
  const std::vector<float> zero(5, 0), one(5, 1);
  add_layer_norm(x.data(), zero.data(), one.data(), zero.data(), 1, 5, 1e-6f);
  require_close(x, {-1.41421f, -0.70711f, 0, 0.70711f, 1.41421f}, 1e-3f);
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

TEST_CASE("argmax for all lengths takes the first of equal values", "[kernels]") {
  Random random(9);
  for (int n = 1; n <= 80; ++n) {
    std::vector<float> x = random.reals(n, -5, 5);
    REQUIRE(argmax(x.data(), n) == argmax_reference(x.data(), n));
    const int first = random.integer(0, n - 1);
    for (int i = first; i < n; i += 3) x[i] = 7;
    REQUIRE(argmax(x.data(), n) == first);
    std::fill(x.begin(), x.end(), -1.0f);
    REQUIRE(argmax(x.data(), n) == 0);
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
