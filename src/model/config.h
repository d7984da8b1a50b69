#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// Dimensions of a model, read from its config.json (Hugging Face MarianMT's names). No size is compiled in.
///
/// Shape letters used throughout: S source length, T target length, R rows (tokens or hypotheses stacked), D model
/// width, H heads, F feed-forward width, V vocabulary, L decoder layers.
struct Config {
  std::string source_language, target_language;  // BCP 47
  int width;                                     // D
  int encoder_ffn_width, decoder_ffn_width;      // F
  int encoder_layers, decoder_layers;
  int encoder_heads, decoder_heads;  // H
  int vocabulary;                    // V, of the target
  int source_vocabulary;             // the same number unless the embeddings are separate
  bool shared_embedding;             // source and target have one vocabulary and one table
  DecoderUnit decoder_unit;
  float layer_norm_eps;
  int eos;
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
