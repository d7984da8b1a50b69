#pragma once

#include <cstddef>
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
  Linear query, key, value, output;  // [D, D]
  LayerNormWeights norm;             // of the residual sum behind the attention
};

struct SsruWeights {
  Linear forget, candidate;  // [D, D]; the candidate has no bias
  LayerNormWeights norm;     // of the residual sum behind the unit
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

/// All weights of a model, const once loaded. The target's embedding table is also the output layer: logits = h E^T +
/// b.
struct Weights {
  std::vector<std::byte> file;             // int8 matrices are packed in place in it: the weights are held once
  size_t bytes;                            // of the weights as they were stored
  Linear embedding;                        // [V, D], of the target
  std::optional<Linear> source_embedding;  // [source V, D], unless it is the target's
  std::vector<EncoderLayerWeights> encoder;
  std::vector<DecoderLayerWeights> decoder;
  std::optional<LexicalTable> lexical;  // if the file has one
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
