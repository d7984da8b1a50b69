#include "model/workspace.h"

#include <algorithm>

#include "model/positions.h"

namespace dragoman {

Workspace::Workspace(const Config& c, int rows, int hypotheses)
    : max_rows(rows),
      max_hypotheses(hypotheses),
      hidden(rows, c.width),
      query(rows, c.width),
      key(rows, c.width),
      value(rows, c.width),
      context(rows, c.width),
      residual(rows, c.width),
      ffn(rows, std::max(c.encoder_ffn_width, c.decoder_ffn_width)),
      attention(std::max(c.encoder_heads, c.decoder_heads) * kMaxPositions),
      logits(hypotheses, c.vocabulary),
      quantized(rows, std::max({c.width, c.encoder_ffn_width, c.decoder_ffn_width})) {}

}  // namespace dragoman
