#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/activation.h"
#include "kernels/layer_norm.h"

namespace dragoman {

/// One head of the decoder's cross-attention.
struct Head {
  int layer, head;
};

/// What stands in a decoder layer before the cross-attention.
enum class DecoderUnit {
  kSelfAttention,  // Vaswani et al. 2017
  kSsru,           // Kim et al. 2019: a recurrent cell
};

/// What is added to an embedding to tell where it stands.
enum class Positions {
  kNone,
  kSinusoidal,   // D/2 sines, then D/2 cosines of position * 10000^(-i / (D/2 - 1)): Marian, fairseq
  kHalves,       // sines, then cosines of position * 10000^(-2i / D): Hugging Face's MarianMT
  kInterleaved,  // the same in turn, a sine and its cosine: Vaswani et al. 2017, section 3.5
  kLearned,
};

/// How the file holds the projections of an attention to query, key and value.
enum class Projections {
  kSeparate,
  kFused,       // in_proj_weight: the rows of query, key and value, one behind the other
  kFusedHeads,  // head by head: the rows of its query, key and value
};

/// A model as its config.json describes it (Hugging Face MarianMT's names). No size is compiled in. README.md beside
/// this file has the variants.
///
/// Shape letters used throughout: S source length, T target length, R rows (tokens or hypotheses stacked), D model
/// width, H heads, A the width of all heads together, F feed-forward width, V vocabulary, L decoder layers.
struct Config {
  std::string source_language, target_language;  // BCP 47
  int width, encoder_width;                      // D; the encoder's is that of the memory
  int encoder_ffn_width, decoder_ffn_width;      // F
  int encoder_layers, decoder_layers;
  int encoder_heads, decoder_heads;            // H
  int encoder_head_width, decoder_head_width;  // A / H
  int vocabulary;                              // V, of the target
  int source_vocabulary;                       // the same number unless the embeddings are separate
  bool shared_embedding;                       // source and target have one vocabulary and one table
  bool tied_output = true;                     // the target's table is also the output layer
  bool output_bias = true;
  DecoderUnit decoder_unit;
  Activation activation = Activation::kRelu;
  bool encoder_norm_first = false, decoder_norm_first = false;  // pre-norm: x + f(LN(x)) in place of LN(x + f(x))
  bool encoder_final_norm = false, decoder_final_norm = false;  // a layer norm behind the last layer
  bool embedding_norm = false;                                  // one behind the embeddings
  bool scaled_embedding = true;                                 // times sqrt(D)
  float layer_norm_eps;
  Deviation deviation = Deviation::kVariance;
  Positions positions = Positions::kSinusoidal;
  int position_offset = 0;                 // the number of the first position
  int source_positions, target_positions;  // the most pieces of a sentence, its end counted
  Projections projections = Projections::kSeparate;
  std::vector<int> encoder_tied, decoder_tied;  // for each layer, the one whose parameters it has
  bool wide_activations = false;                // inputs of int8 products have 13 bits, not 7
  int eos;
  int start = -1;                     // the decoder's first input; -1: a zero vector
  int forced_first = -1;              // the first token of every translation; -1: free
  int unknown = -1;                   // the piece <unk> where it must never be written; -1: it may be
  std::vector<Head> alignment_heads;  // that look at the source piece which the decoder's input translates
};

/// Where a file does not name the alignment heads: all of the last decoder layer but one, where they are in most
/// models.
std::vector<Head> usual_alignment_heads(const Config& config);

/// Throws Error(kBadConfig) if a field is missing, out of range, or names a variant that this core does not run.
Config parse_config(std::string_view json_text);

/// The fields source_language and target_language of a config.json, of which nothing else is read. Throws
/// Error(kBadConfig).
std::pair<std::string, std::string> parse_languages(std::string_view json_text);

}  // namespace dragoman
