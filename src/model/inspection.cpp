#include "model/inspection.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "kernels/softmax.h"

namespace dragoman {
namespace {

// Rows of a layer [t][H, columns, or t + 1 of causal ones] one behind the other -> [L, H, T, columns], zeros behind.
std::vector<float> by_heads(const std::vector<float>& rows, int heads, int count, int columns, bool causal) {
  std::vector<float> sorted;
  for (auto from = rows.begin(); from != rows.end();) {
    const size_t layer = sorted.size();
    sorted.resize(layer + static_cast<size_t>(heads) * count * columns);
    for (int t = 0; t < count; ++t) {
      const int length = causal ? t + 1 : columns;
      for (int h = 0; h < heads; ++h, from += length)
        std::copy_n(from, length, sorted.begin() + static_cast<std::ptrdiff_t>(layer + (h * count + t) * columns));
    }
  }
  return sorted;
}

}  // namespace

Inspection inspect(const Transformer& model, std::vector<int> source, std::vector<int> target) {
  const Config& config = model.config();
  const int length = static_cast<int>(source.size()), count = static_cast<int>(target.size());
  const int most = std::min(config.target_positions, kMaxPositions);
  require(0 < count && count <= most, ErrorCode::kInvalidArgument, "the translation has ", count, " pieces; 1..", most,
          " are allowed");
  Workspace work(config, std::max(length, count), count);
  Observation encoder, decoder;
  work.observation = &encoder;
  KvCache cross(config, length);
  model.fill_cross_cache(model.encode({&source, 1}, work).front(), work, cross);
  DecoderState state(config, count);
  std::vector<DecoderRow> rows;
  for (int t = 0; t < count; ++t)
    rows.push_back({.token = t == 0 ? kStart : target[t - 1], .cross = &cross, .target = &state, .ahead = t});
  work.observation = &decoder;
  model.step(rows, work);

  Inspection found;
  for (int t = 0; t < count; ++t) {
    const auto logits = work.logits.row(t);
    found.log_probabilities.push_back(logits[target[t]] - log_sum_exp(logits.data(), config.vocabulary));
  }
  const int heads = config.decoder_heads;
  found.cross_attention = by_heads(decoder.cross_attention, heads, count, length, false);
  found.source = {std::move(source), {}, std::move(encoder.hidden), std::move(encoder.self_attention)};
  found.target = {
      std::move(target), {}, std::move(decoder.hidden), by_heads(decoder.self_attention, heads, count, count, true)};
  return found;
}

}  // namespace dragoman
