#include "model/attention.h"

#include <cstring>

#include "kernels/attention.h"

namespace dragoman {
namespace {

// How every attention ends: work.context W_o^T + b joins hidden.
void project_and_add(const AttentionWeights& weights, const LayerForm& form, int rows, Workspace& work) {
  LinearInput context(work.context.data(), rows, form.attention_width(), work.quantized);
  weights.output.apply(context, work.residual.data());
  add_sublayer(form, weights.norm, rows, work);
}

void project_query_key_value(const AttentionWeights& weights, const LayerForm& form, int rows, Workspace& work) {
  LinearInput hidden(sublayer_input(form, weights.norm, rows, work), rows, form.width, work.quantized);
  weights.query.apply(hidden, work.query.data());
  weights.key.apply(hidden, work.key.data());
  weights.value.apply(hidden, work.value.data());
}

// One query position over a cache of `length` positions. weights [H, length] receives the softmax.
void attend_cache(const KvCache& cache, int layer, int length, const LayerForm& form, int row, Workspace& work,
                  float* weights) {
  const int width = form.attention_width();
  attend(work.query.data() + row * width, cache.keys(layer), cache.values(layer),
         {form.heads, form.head_width, length, width}, weights, work.context.data() + row * width);
}

}  // namespace

void encoder_self_attention(const AttentionWeights& weights, const LayerForm& form, std::span<const RowRange> sentences,
                            Workspace& work) {
  const int rows = sentences.back().begin + sentences.back().length;
  const int width = form.attention_width(), head_width = form.head_width;
  project_query_key_value(weights, form, rows, work);
  for (const RowRange& s : sentences) {
    for (int h = 0; h < form.heads; ++h) {  // a head's keys and values stay in L1 while the sentence's queries pass
      const float* keys = work.key.data() + s.begin * width + h * head_width;
      const float* values = work.value.data() + s.begin * width + h * head_width;
      for (int r = s.begin; r < s.begin + s.length; ++r) {
        attend(work.query.data() + r * width + h * head_width, keys, values, {1, head_width, s.length, width},
               work.attention.data(), work.context.data() + r * width + h * head_width);
        observe(work.observation, &Observation::self_attention, work.attention.data(), s.length);
      }
    }
  }
  project_and_add(weights, form, rows, work);
}

void decoder_self_attention(const AttentionWeights& weights, const LayerForm& form, int layer,
                            std::span<const DecoderRow> rows, Workspace& work) {
  const int count = static_cast<int>(rows.size()), width = form.attention_width();
  project_query_key_value(weights, form, count, work);
  for (int r = 0; r < count; ++r) {
    KvCache& cache = rows[r].target->cache();
    const int position = rows[r].target->length() + rows[r].ahead;
    std::memcpy(cache.keys(layer) + position * width, work.key.data() + r * width, width * sizeof(float));
    std::memcpy(cache.values(layer) + position * width, work.value.data() + r * width, width * sizeof(float));
    attend_cache(cache, layer, position + 1, form, r, work, work.attention.data());
    observe(work.observation, &Observation::self_attention, work.attention.data(), form.heads * (position + 1));
  }
  project_and_add(weights, form, count, work);
}

void cross_attention(const AttentionWeights& weights, const LayerForm& form, int layer,
                     std::span<const DecoderRow> rows, Workspace& work) {
  const int count = static_cast<int>(rows.size());
  LinearInput hidden(sublayer_input(form, weights.norm, count, work), count, form.width, work.quantized);
  weights.query.apply(hidden, work.query.data());
  for (int r = 0; r < count; ++r) {
    const int length = rows[r].cross->length();
    float* const softmax = rows[r].attention ? rows[r].attention + layer * form.heads * length : work.attention.data();
    attend_cache(*rows[r].cross, layer, length, form, r, work, softmax);
    observe(work.observation, &Observation::cross_attention, softmax, form.heads * length);
  }
  project_and_add(weights, form, count, work);
}

}  // namespace dragoman
