#include "model/attention.h"

#include <cstring>

#include "kernels/attention.h"
#include "kernels/layer_norm.h"

namespace dragoman {
namespace {

// hidden = LN(hidden + context W_o^T + b): how every attention ends.
void project_and_add(const AttentionWeights& weights, int rows, float eps, Workspace& work) {
  const int width = static_cast<int>(work.hidden.cols());
  LinearInput context(work.context.data(), rows, width, work.quantized);
  weights.output.apply(context, work.residual.data());
  add_layer_norm(work.hidden.data(), work.residual.data(), weights.norm.gain.data(), weights.norm.bias.data(), rows,
                 width, eps);
}

void project_query_key_value(const AttentionWeights& weights, int rows, Workspace& work) {
  LinearInput hidden(work.hidden.data(), rows, static_cast<int>(work.hidden.cols()), work.quantized);
  weights.query.apply(hidden, work.query.data());
  weights.key.apply(hidden, work.key.data());
  weights.value.apply(hidden, work.value.data());
}

// One query position over a cache of `length` positions. weights [H, length] receives the softmax.
void attend_cache(const KvCache& cache, int layer, int length, int heads, int row, Workspace& work, float* weights) {
  const int width = static_cast<int>(work.hidden.cols());
  attend(work.query.row(row).data(), cache.keys(layer), cache.values(layer), {heads, width / heads, length, width},
         weights, work.context.row(row).data());
}

}  // namespace

void encoder_self_attention(const AttentionWeights& weights, int heads, std::span<const RowRange> sentences, float eps,
                            Workspace& work) {
  const int rows = sentences.back().begin + sentences.back().length;
  const int width = static_cast<int>(work.hidden.cols()), head_width = width / heads;
  project_query_key_value(weights, rows, work);
  for (const RowRange& s : sentences) {
    for (int h = 0; h < heads; ++h) {  // a head's keys and values stay in L1 while the sentence's queries pass
      const float* keys = work.key.row(s.begin).data() + h * head_width;
      const float* values = work.value.row(s.begin).data() + h * head_width;
      for (int r = s.begin; r < s.begin + s.length; ++r) {
        attend(work.query.row(r).data() + h * head_width, keys, values, {1, head_width, s.length, width},
               work.attention.data(), work.context.row(r).data() + h * head_width);
      }
    }
  }
  project_and_add(weights, rows, eps, work);
}

void decoder_self_attention(const AttentionWeights& weights, int heads, int layer, std::span<const DecoderRow> rows,
                            float eps, Workspace& work) {
  const int count = static_cast<int>(rows.size());
  const size_t row_bytes = work.hidden.cols() * sizeof(float);
  project_query_key_value(weights, count, work);
  for (int r = 0; r < count; ++r) {
    KvCache& cache = rows[r].target->cache();
    const int position = rows[r].target->length();
    std::memcpy(cache.keys(layer) + position * work.hidden.cols(), work.key.row(r).data(), row_bytes);
    std::memcpy(cache.values(layer) + position * work.hidden.cols(), work.value.row(r).data(), row_bytes);
    attend_cache(cache, layer, position + 1, heads, r, work, work.attention.data());
  }
  project_and_add(weights, count, eps, work);
}

void cross_attention(const AttentionWeights& weights, int heads, int layer, std::span<const DecoderRow> rows, float eps,
                     Workspace& work) {
  const int count = static_cast<int>(rows.size());
  LinearInput hidden(work.hidden.data(), count, static_cast<int>(work.hidden.cols()), work.quantized);
  weights.query.apply(hidden, work.query.data());
  for (int r = 0; r < count; ++r) {
    const int length = rows[r].cross->length();
    float* const weights = rows[r].attention ? rows[r].attention + layer * heads * length : work.attention.data();
    attend_cache(*rows[r].cross, layer, length, heads, r, work, weights);
  }
  project_and_add(weights, count, eps, work);
}

}  // namespace dragoman
