#include "model/transformer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "model/attention.h"
#include "model/feed_forward.h"
#include "model/ssru.h"

namespace dragoman {
namespace {

// Trained ones stay below 1,000.
constexpr float kLargestMemory = 1e6f;

}  // namespace

Transformer::Transformer(std::string_view config_json, std::vector<std::byte> model_file,
                         std::span<const std::byte> shortlist)
    : Transformer(load_model(config_json, std::move(model_file), shortlist)) {}

Transformer::Transformer(Model model)
    : config_(std::move(model.config)),
      encoder_(encoder_form(config_)),
      decoder_(decoder_form(config_)),
      weights_(std::move(model.weights)) {}

void Transformer::embed(const Linear& table, const SideWeights& side, int token, int position, int width,
                        float* row) const {
  Vector::MapType out(row, width);
  if (token == kStart)
    out.setZero();
  else
    table.row(token, row);
  if (config_.scaled_embedding) out *= std::sqrt(static_cast<float>(width));
  if (side.positions) out += side.positions->row(position);
  if (side.embedding_norm) layer_norm(row, decoder_.norm(*side.embedding_norm), 1, width, row);
}

std::vector<ConstMatrixView> Transformer::encode(std::span<const std::vector<int>> sentences, Workspace& work) const {
  const int width = encoder_.width;
  int rows = 0;
  std::vector<RowRange> ranges;
  std::vector<ConstMatrixView> memories;
  const Linear& table = weights_.source_embedding ? *weights_.source_embedding : weights_.embedding;
  for (const std::vector<int>& sentence : sentences) {
    const int length = static_cast<int>(sentence.size());
    require(0 < length && length <= source_limit(config_) && rows + length <= work.max_rows,
            ErrorCode::kInvalidArgument, "sentence ", ranges.size(), " of ", length, " pieces does not fit: ", rows,
            " of ", work.max_rows, " rows are taken");
    for (int p = 0; p < length; ++p)
      embed(table, weights_.source, sentence[p], p, width, work.hidden.data() + (rows + p) * width);
    ranges.push_back({rows, length});
    memories.emplace_back(work.hidden.data() + rows * width, length, width);
    rows += length;
  }
  observe(work.observation, &Observation::hidden, work.hidden.data(), rows * width);
  for (int i = 0; i < config_.encoder_layers; ++i) {
    const EncoderLayerWeights& layer = weights_.encoder_layer(i);
    encoder_self_attention(layer.self_attention, encoder_, ranges, work);
    feed_forward(layer.feed_forward, encoder_, rows, work);
    observe(work.observation, &Observation::hidden, work.hidden.data(), rows * width);
  }
  if (weights_.source.final_norm) {
    layer_norm(work.hidden.data(), encoder_.norm(*weights_.source.final_norm), rows, width, work.hidden.data());
    observe(work.observation, &Observation::hidden, work.hidden.data(), rows * width);
  } else if (config_.encoder_norm_first) {
    // Nothing has kept these small; what follows is finite if they are.
    require(work.hidden.head(rows * width).cwiseAbs().maxCoeff() < kLargestMemory, ErrorCode::kBadModel,
            "the encoder's output grows beyond ", kLargestMemory, ", as no trained model's does: the file is damaged");
  }
  return memories;
}

void Transformer::fill_cross_cache(const ConstMatrixView& memory, Workspace& work, KvCache& cross) const {
  const int length = static_cast<int>(memory.rows());
  LinearInput input(memory.data(), length, encoder_.width, work.quantized);
  for (int i = 0; i < config_.decoder_layers; ++i) {
    const AttentionWeights& attention = weights_.decoder_layer(i).cross_attention;
    attention.key.apply(input, cross.keys(i));
    attention.value.apply(input, cross.values(i));
  }
  cross.set_length(length);
}

Shortlist Transformer::shortlist(std::span<const int> source) const {
  auto tokens = weights_.lexical->candidates(source);
  Linear output = weights_.output_layer().select(tokens);
  return {std::move(tokens), std::move(output)};
}

void Transformer::step(std::span<const DecoderRow> rows, Workspace& work) const {
  const int count = static_cast<int>(rows.size()), width = decoder_.width;
  require(0 < count && count <= work.max_hypotheses, ErrorCode::kInvalidArgument, count, " rows in a decoder step; 1..",
          work.max_hypotheses, " are allowed");
  for (int r = 0; r < count; ++r) {
    const int position = rows[r].target->length() + rows[r].ahead;
    require(position < rows[r].target->capacity() && position < kMaxPositions, ErrorCode::kInvalidArgument,
            "no room in the cache for position ", position);
    const int token = rows[r].token == kStart ? config_.start : rows[r].token;
    embed(weights_.embedding, weights_.target, token, position, width, work.hidden.data() + r * width);
  }
  observe(work.observation, &Observation::hidden, work.hidden.data(), count * width);
  for (int i = 0; i < config_.decoder_layers; ++i) {
    const DecoderLayerWeights& layer = weights_.decoder_layer(i);
    if (const auto* attention = std::get_if<AttentionWeights>(&layer.history))
      decoder_self_attention(*attention, decoder_, i, rows, work);
    else
      ssru(std::get<SsruWeights>(layer.history), decoder_, i, rows, work);
    cross_attention(layer.cross_attention, decoder_, i, rows, work);
    feed_forward(layer.feed_forward, decoder_, count, work);
    observe(work.observation, &Observation::hidden, work.hidden.data(), count * width);
  }
  if (weights_.target.final_norm) {
    layer_norm(work.hidden.data(), decoder_.norm(*weights_.target.final_norm), count, width, work.hidden.data());
    observe(work.observation, &Observation::hidden, work.hidden.data(), count * width);
  }
  for (const DecoderRow& row : rows) row.target->advance();
  if (std::none_of(rows.begin(), rows.end(), [](const DecoderRow& row) { return row.shortlist; })) {
    LinearInput hidden(work.hidden.data(), count, width, work.quantized);
    weights_.output_layer().apply(hidden, work.logits.data());
    return;
  }
  for (int r = 0; r < count; ++r) {
    const Linear& output = rows[r].shortlist ? rows[r].shortlist->output : weights_.output_layer();
    LinearInput hidden(work.hidden.data() + r * width, 1, width, work.quantized);
    output.apply(hidden, work.logits.row(r).data());
  }
}

}  // namespace dragoman
