#include "growth.h"

#include <algorithm>
#include <chrono>

#include "model/transformer.h"

namespace dragoman::bench {
namespace {

constexpr int kEarly = 10, kLate = 400;  // positions
constexpr int kAround = 8;   // timed together with as many positions on either side: a browser's clock is coarse
constexpr int kSource = 24;  // pieces: an ordinary sentence
constexpr int kDecodings = 15;

// Made-up pieces: what they mean does not change the work.
int piece(int i, const Config& config) { return (i * 37 + 11) % config.vocabulary; }

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

nlohmann::json growth(const std::string& config_json, std::vector<std::byte> model_file) {
  using Clock = std::chrono::steady_clock;
  const Transformer model(config_json, std::move(model_file));
  Workspace work(model.config(), kSource, 1);
  std::vector<int> source;
  for (int i = 0; i + 1 < kSource; ++i) source.push_back(piece(i, model.config()));
  source.push_back(model.config().eos);
  KvCache cross(model.config(), kSource);
  model.fill_cross_cache(model.encode({&source, 1}, work).front(), work, cross);

  std::vector<double> early, late, ratios;
  for (int decoding = 0; decoding <= kDecodings; ++decoding) {
    DecoderState state(model.config(), kLate + kAround + 1);
    std::vector<Clock::time_point> at;  // when the step of each position began
    for (int t = 0; t < state.capacity(); ++t) {
      const DecoderRow row{t == 0 ? kStart : piece(t, model.config()), &cross, &state};
      at.push_back(Clock::now());
      model.step({&row, 1}, work);
    }
    at.push_back(Clock::now());
    if (decoding == 0) continue;  // V8 compiles the hot functions anew meanwhile
    const auto around = [&](int position) {
      const std::chrono::duration<double, std::milli> ms = at[position + kAround + 1] - at[position - kAround];
      return ms.count() / (2 * kAround + 1);
    };
    early.push_back(around(kEarly));
    late.push_back(around(kLate));
    ratios.push_back(late.back() / early.back());
  }
  return {{"early", kEarly},
          {"late", kLate},
          {"earlyMs", median(early)},
          {"lateMs", median(late)},
          {"ratio", median(ratios)}};
}

}  // namespace dragoman::bench
