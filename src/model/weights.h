#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "base/matrix.h"
#include "model/config.h"
#include "model/linear.h"
#include "model/shortlist.h"

namespace dragoman {

struct LayerNormWeights {
  Vector gain, bias;  // [D]
};

struct AttentionWeights {
  Linear query, key, value;  // [A, D]; of a cross-attention key and value [A, width of the memory]
  Linear output;             // [D, A]
  LayerNormWeights norm;     // of the sub-layer: behind its residual sum, or of its input
};

struct SsruWeights {
  Linear forget, candidate;  // [D, D]; the candidate has no bias
  LayerNormWeights norm;
};

struct FeedForwardWeights {
  Linear up;    // [F, D]
  Linear down;  // [D, F]
  LayerNormWeights norm;
};

struct EncoderLayerWeights {
  AttentionWeights self_attention;
  FeedForwardWeights feed_forward;
};

struct DecoderLayerWeights {
  std::variant<AttentionWeights, SsruWeights> history;  // how a position sees the ones before it
  AttentionWeights cross_attention;
  FeedForwardWeights feed_forward;
};

/// One side's way in and out. What a model has not got is empty.
struct SideWeights {
  std::shared_ptr<const Matrix> positions;  // [positions, D], from the first that is used on
  std::optional<LayerNormWeights> embedding_norm, final_norm;
};

/// All weights of a model, const once loaded.
struct Weights {
  std::vector<std::byte> file;             // int8 matrices are packed in place in it: the weights are held once
  size_t bytes = 0;                        // of the weights as they were stored
  Linear embedding;                        // [V, D], of the target, with the output layer's bias
  std::optional<Linear> source_embedding;  // [source V, D], unless it is the target's
  std::optional<Linear> output;            // [V, D], unless it is the target's embedding: logits = h E^T + b
  SideWeights source, target;
  // Each once; layer i has those of number encoder_order[i].
  std::vector<EncoderLayerWeights> encoder;
  std::vector<DecoderLayerWeights> decoder;
  std::vector<int> encoder_order, decoder_order;
  std::optional<LexicalTable> lexical;  // if the file has one

  const Linear& output_layer() const { return output ? *output : embedding; }
  const EncoderLayerWeights& encoder_layer(int i) const { return encoder[encoder_order[i]]; }
  const DecoderLayerWeights& decoder_layer(int i) const { return decoder[decoder_order[i]]; }
};

struct Model {
  Config config;
  Weights weights;
};

/// Takes a model file of either kind, which its first bytes tell:
/// - a safetensors file with MarianMT's tensor names: matrices F32, F16 or I8 with `<name>_scale`, the rest F32 or F16,
///   and, if there is a lexical shortlist, U16. config_json: config.json.
/// - Marian's binary format with its own configuration; shortlist: Marian's lex.*.s2t.bin, or empty. config_json: of
///   config.json the languages.
/// Strict: a missing, extra, mis-shaped or mistyped tensor, or a value that is not a plausible number, throws
/// Error(kBadModel) naming the tensor; a configuration of what this core does not run Error(kBadConfig).
Model load_model(std::string_view config_json, std::vector<std::byte> file, std::span<const std::byte> shortlist = {});

}  // namespace dragoman
