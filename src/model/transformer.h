#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "model/config.h"
#include "model/decoder_row.h"
#include "model/positions.h"
#include "model/residual.h"
#include "model/shortlist.h"
#include "model/weights.h"
#include "model/workspace.h"

namespace dragoman {

/// The encoder-decoder Transformer (Vaswani et al. 2017) in the variants that README.md beside this file lists. Const
/// after construction; what changes lies in Workspace, KvCache and DecoderState.
class Transformer {
 public:
  /// The files are those of load_model. Throws Error(kBadConfig or kBadModel).
  Transformer(std::string_view config_json, std::vector<std::byte> model_file,
              std::span<const std::byte> shortlist = {});

  const Config& config() const { return config_; }
  /// Bytes of the weights as they were stored.
  size_t weight_bytes() const { return weights_.bytes; }

  /// Encodes several sentences at once, stacked as rows: no padding, each attends to itself only.
  /// sentences: piece ids, each ending in eos; together at most work.max_rows, each at most source_limit().
  /// Returns the memory [S, D] of each: rows of `work`, there until its next encode or step.
  std::vector<ConstMatrixView> encode(std::span<const std::vector<int>> sentences, Workspace& work) const;

  /// Keys and values of the cross-attentions for one sentence, once, from its memory [S, D], into the empty cache
  /// `cross` of S positions. work: scratch; memories in it stay.
  void fill_cross_cache(const ConstMatrixView& memory, Workspace& work, KvCache& cross) const;

  /// Whether the model came with a lexical shortlist.
  bool has_shortlist() const { return weights_.lexical.has_value(); }
  /// The output layer for one sentence; source: as in `encode`. Only if has_shortlist().
  Shortlist shortlist(std::span<const int> source) const;

  /// One position further for every row: appends to its state and leaves its logits in its row of
  /// work.logits: [V], or one for each token of its shortlist; and its cross-attention where the row wants it. A target
  /// that is given may have a row for each of its tokens: all its positions in one pass.
  /// 1 <= R <= work.max_hypotheses; each state needs capacity for one more position. Allocates nothing with int8
  /// weights.
  void step(std::span<const DecoderRow> rows, Workspace& work) const;

 private:
  explicit Transformer(Model model);
  // row [D]: the embedding of a token of one side, kStart of none, at a position.
  void embed(const Linear& table, const SideWeights& side, int token, int position, int width, float* row) const;

  Config config_;
  LayerForm encoder_, decoder_;
  Weights weights_;
};

}  // namespace dragoman
