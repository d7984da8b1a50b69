#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// One head of the decoder's cross-attention.
struct Head {
  int layer, head;
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
  int vocabulary;                    // V
  float layer_norm_eps;
  int eos;
  std::vector<Head> alignment_heads;  // that look at the source piece which the decoder's input translates
};

/// Throws Error(kBadConfig) if a field is missing, out of range, or names a variant that this core does not run.
Config parse_config(std::string_view json_text);

}  // namespace dragoman
