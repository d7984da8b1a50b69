#include "model/transformer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "model/attention.h"
#include "model/feed_forward.h"
#include "model/ssru.h"

namespace dragoman {

Transformer::Transformer(std::string_view config_json, std::vector<std::byte> model_file,
                         std::span<const std::byte> shortlist)
    : Transformer(load_model(config_json, std::move(model_file), shortlist)) {}

Transformer::Transformer(Model model)
    : config_(std::move(model.config)),
      weights_(std::move(model.weights)),
      positions_(sinusoidal_positions(kMaxPositions, config_.width)) {}

void Transformer::embed(const Linear& table, int token, int position, float* row) const {
  Vector::MapType out(row, config_.width);
  if (token == kStart) {
    out = positions_.row(position);
    return;
  }
  table.row(token, row);
  out = out * std::sqrt(static_cast<float>(config_.width)) + positions_.row(position);
}

std::vector<ConstMatrixView> Transformer::encode(std::span<const std::vector<int>> sentences, Workspace& work) const {
  int rows = 0;
  std::vector<RowRange> ranges;
  std::vector<ConstMatrixView> memories;
  const Linear& table = weights_.source_embedding ? *weights_.source_embedding : weights_.embedding;
  for (const std::vector<int>& sentence : sentences) {
    const int length = static_cast<int>(sentence.size());
    require(0 < length && length <= kMaxPositions && rows + length <= work.max_rows, ErrorCode::kInvalidArgument,
            "sentence ", ranges.size(), " of ", length, " pieces does not fit: ", rows, " of ", work.max_rows,
            " rows are taken");
    for (int p = 0; p < length; ++p) embed(table, sentence[p], p, work.hidden.row(rows + p).data());
    ranges.push_back({rows, length});
    memories.emplace_back(work.hidden.row(rows).data(), length, config_.width);
    rows += length;
  }
  for (const EncoderLayerWeights& layer : weights_.encoder) {
    encoder_self_attention(layer.self_attention, config_.encoder_heads, ranges, config_.layer_norm_eps, work);
    feed_forward(layer.feed_forward, rows, config_.layer_norm_eps, work);
  }
  return memories;
}

void Transformer::fill_cross_cache(const ConstMatrixView& memory, Workspace& work, KvCache& cross) const {
  const int length = static_cast<int>(memory.rows());
  LinearInput input(memory.data(), length, config_.width, work.quantized);
  for (int i = 0; i < config_.decoder_layers; ++i) {
    const AttentionWeights& attention = weights_.decoder[i].cross_attention;
    attention.key.apply(input, cross.keys(i));
    attention.value.apply(input, cross.values(i));
  }
  cross.set_length(length);
}

Shortlist Transformer::shortlist(std::span<const int> source) const {
  auto tokens = weights_.lexical->candidates(source);
  Linear output = weights_.embedding.select(tokens);
  return {std::move(tokens), std::move(output)};
}

void Transformer::step(std::span<const DecoderRow> rows, Workspace& work) const {
  const int count = static_cast<int>(rows.size());
  require(0 < count && count <= work.max_hypotheses, ErrorCode::kInvalidArgument, count, " rows in a decoder step; 1..",
          work.max_hypotheses, " are allowed");
  for (int r = 0; r < count; ++r) {
    const int position = rows[r].target->length();
    require(position < rows[r].target->capacity() && position < kMaxPositions, ErrorCode::kInvalidArgument,
            "no room in the cache for position ", position);
    embed(weights_.embedding, rows[r].token, position, work.hidden.row(r).data());
  }
  for (int i = 0; i < config_.decoder_layers; ++i) {
    const DecoderLayerWeights& layer = weights_.decoder[i];
    if (const auto* attention = std::get_if<AttentionWeights>(&layer.history))
      decoder_self_attention(*attention, config_.decoder_heads, i, rows, config_.layer_norm_eps, work);
    else
      ssru(std::get<SsruWeights>(layer.history), i, rows, config_.layer_norm_eps, work);
    cross_attention(layer.cross_attention, config_.decoder_heads, i, rows, config_.layer_norm_eps, work);
    feed_forward(layer.feed_forward, count, config_.layer_norm_eps, work);
  }
  for (const DecoderRow& row : rows) row.target->advance();
  if (std::none_of(rows.begin(), rows.end(), [](const DecoderRow& row) { return row.shortlist; })) {
    LinearInput hidden(work.hidden.data(), count, config_.width, work.quantized);
    weights_.embedding.apply(hidden, work.logits.data());
    return;
  }
  for (int r = 0; r < count; ++r) {
    const Linear& output = rows[r].shortlist ? rows[r].shortlist->output : weights_.embedding;
    LinearInput hidden(work.hidden.row(r).data(), 1, config_.width, work.quantized);
    output.apply(hidden, work.logits.row(r).data());
  }
}

}  // namespace dragoman
