#include "model/workspace.h"

#include <algorithm>

#include "model/positions.h"

namespace dragoman {
namespace {

int hidden_width(const Config& c) { return std::max(c.encoder_width, c.width); }

int attention_width(const Config& c) {
  const bool has_cells = c.decoder_unit == DecoderUnit::kSsru;
  return std::max(
      {c.encoder_heads * c.encoder_head_width, c.decoder_heads * c.decoder_head_width, has_cells ? c.width : 0});
}

int ffn_width(const Config& c) { return std::max(c.encoder_ffn_width, c.decoder_ffn_width); }

}  // namespace

Workspace::Workspace(const Config& c, int rows, int hypotheses)
    : max_rows(rows),
      max_hypotheses(hypotheses),
      hidden(rows * hidden_width(c)),
      normed(c.encoder_norm_first || c.decoder_norm_first ? rows * hidden_width(c) : 0),
      query(rows * attention_width(c)),
      key(rows * attention_width(c)),
      value(rows * attention_width(c)),
      context(rows * attention_width(c)),
      residual(rows * hidden_width(c)),
      ffn(rows * ffn_width(c)),
      attention(std::max(c.encoder_heads, c.decoder_heads) * kMaxPositions),
      logits(hypotheses, c.vocabulary),
      quantized(rows, std::max({hidden_width(c), attention_width(c), ffn_width(c)}), c.wide_activations) {}

}  // namespace dragoman
