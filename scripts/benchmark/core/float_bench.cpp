#include "float_bench.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.h"
#include "kernels/argmax.h"
#include "kernels/attention.h"
#include "kernels/layer_norm.h"
#include "kernels/quantize.h"
#include "kernels/softmax.h"
#include "random.h"
#include "timing.h"

namespace dragoman::bench {
namespace {

constexpr int kWidth = 256, kHeads = 4, kVocabulary = 8000;

using Floats = std::vector<float>;

void check(const std::string& kernel, const Floats& found, const Floats& expected, float tolerance) {
  for (size_t i = 0; i < found.size(); ++i) {
    require(std::abs(found[i] - expected[i]) <= tolerance, ErrorCode::kInvalidArgument, kernel, " gives ", found[i],
            " for ", expected[i]);
  }
}

nlohmann::json timed(const std::string& kernel, const std::string& size, double bytes, std::function<void()> work) {
  Contestant contestant{std::move(work)};
  take_turns({&contestant, 1});
  const double seconds = contestant.seconds;
  return {{"kernel", kernel},
          {"size", size},
          {"nanoseconds", seconds * 1e9},
          {"gigabytesPerSecond", bytes / seconds * 1e-9}};
}

nlohmann::json attention(int length) {
  Random random(2);
  const AttentionShape shape{kHeads, kWidth / kHeads, length, kWidth};
  const Floats query = random.reals(kWidth, -1, 1), keys = random.reals(static_cast<size_t>(length) * kWidth, -1, 1),
               values = random.reals(keys.size(), -1, 1);
  Floats weights(static_cast<size_t>(kHeads) * length), expected_weights(weights), context(kWidth), expected(kWidth);
  attend_reference(query.data(), keys.data(), values.data(), shape, expected_weights.data(), expected.data());
  attend(query.data(), keys.data(), values.data(), shape, weights.data(), context.data());
  check("attention", weights, expected_weights, 1e-5f);
  check("attention", context, expected, 1e-5f);
  return timed("attention", "4 heads of 64, " + std::to_string(length) + " positions", 8.0 * length * kWidth,
               [&] { attend(query.data(), keys.data(), values.data(), shape, weights.data(), context.data()); });
}

nlohmann::json softmax_of(int n) {
  Random random(3);
  const Floats scores = random.reals(n, -5, 5);
  Floats found = scores, expected = scores;
  softmax(found.data(), n);
  softmax_reference(expected.data(), n);
  check("softmax", found, expected, 1e-6f);
  // In place: what it is given is what it made, which costs the same.
  return timed("softmax", std::to_string(n), 8.0 * n, [&] { softmax(found.data(), n); });
}

nlohmann::json layer_norm_of(int rows) {
  Random random(4);
  const Floats x = random.reals(static_cast<size_t>(rows) * kWidth, -2, 2), y = random.reals(x.size(), -2, 2),
               gain = random.reals(kWidth, 0.5f, 1.5f), bias = random.reals(kWidth, -1, 1);
  Floats found = x, expected = x;
  const LayerNorm norm{gain.data(), bias.data(), 1e-6f};
  add_layer_norm(found.data(), y.data(), norm, rows, kWidth);
  for (size_t i = 0; i < expected.size(); ++i) expected[i] += y[i];
  layer_norm_reference(expected.data(), norm, rows, kWidth, expected.data());
  check("layer norm", found, expected, 1e-5f);
  return timed("add, layer norm", std::to_string(rows) + " x " + std::to_string(kWidth), 12.0 * rows * kWidth,
               [&] { add_layer_norm(found.data(), y.data(), norm, rows, kWidth); });
}

nlohmann::json quantisation(int rows) {
  Random random(5);
  const Floats x = random.reals(static_cast<size_t>(rows) * kWidth, -2, 2);
  std::vector<uint8_t> found(x.size()), expected(x.size());
  Floats scale(rows);
  std::vector<int32_t> zero(rows);
  quantize_rows(x.data(), rows, kWidth, {found.data(), scale.data(), zero.data()});
  quantize_rows_reference(x.data(), rows, kWidth, {expected.data(), scale.data(), zero.data()});
  require(found == expected, ErrorCode::kInvalidArgument, "quantisation is wrong");
  return timed("quantise", std::to_string(rows) + " x " + std::to_string(kWidth), 5.0 * rows * kWidth, [&] {
    quantize_rows(x.data(), rows, kWidth, {found.data(), scale.data(), zero.data()});
  });
}

nlohmann::json largest() {
  Random random(6);
  const Floats x = random.reals(kVocabulary, -9, 9);
  require(argmax(x.data(), kVocabulary) == argmax_reference(x.data(), kVocabulary), ErrorCode::kInvalidArgument,
          "argmax is wrong");
  volatile int sink = 0;
  return timed("argmax", std::to_string(kVocabulary), 4.0 * kVocabulary, [&] { sink = argmax(x.data(), kVocabulary); });
}

}  // namespace

nlohmann::json float_kernels() {
  auto figures = nlohmann::json::array();
  for (int length : {10, 40, 400}) figures.push_back(attention(length));
  for (int n : {40, 400}) figures.push_back(softmax_of(n));
  for (int rows : {1, 64}) figures.push_back(layer_norm_of(rows));
  for (int rows : {1, 64}) figures.push_back(quantisation(rows));
  figures.push_back(largest());
  return figures;
}

}  // namespace dragoman::bench
