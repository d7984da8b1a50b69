#include "model/config.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/error.h"

namespace dragoman {
namespace {

using nlohmann::json;

constexpr auto kBad = ErrorCode::kBadConfig;

json parse_object(std::string_view text) {
  json config = json::parse(text, nullptr, /*allow_exceptions=*/false);
  require(config.is_object(), kBad, "config.json is not a JSON object");
  return config;
}

int read_int(const json& config, const char* key, int least, int most) {
  const auto it = config.find(key);
  require(it != config.end() && it->is_number_integer(), kBad, "config.json lacks the whole number '", key, "'");
  const auto value = it->get<int64_t>();
  require(least <= value && value <= most, kBad, "config.json: ", key, " is ", value, ", which is not within ", least,
          "..", most);
  return static_cast<int>(value);
}

std::string read_language(const json& config, const char* key) {
  const auto it = config.find(key);
  require(it != config.end() && it->is_string() && !it->get_ref<const std::string&>().empty(), kBad,
          "config.json lacks the language tag '", key, "'");
  return it->get<std::string>();
}

// These fix the architecture; a model that states another value would run and give nonsense.
void expect(const json& config, const char* key, const json& value) {
  const auto it = config.find(key);
  require(it != config.end() && *it == value, kBad, "config.json: ", key, " must be ", value.dump(), ", not ",
          it == config.end()   ? "missing"
          : it->is_primitive() ? it->dump(-1, ' ', true, json::error_handler_t::replace)
                               : it->type_name());  // printing a deep structure would exhaust the stack
}

std::vector<Head> read_alignment_heads(const json& config, const Config& c) {
  constexpr auto kKey = "alignment_heads";
  const auto it = config.find(kKey);
  if (it == config.end()) return usual_alignment_heads(c);
  std::vector<Head> heads;
  require(it->is_array() && !it->empty(), kBad, "config.json: ", kKey, " is no list of [layer, head]");
  for (const json& pair : *it) {
    const bool two =
        pair.is_array() && pair.size() == 2 && pair[0].is_number_unsigned() && pair[1].is_number_unsigned();
    require(two && pair[0] < c.decoder_layers && pair[1] < c.decoder_heads, kBad, "config.json: ", kKey,
            " names what is no [layer, head] of ", c.decoder_layers, " layers with ", c.decoder_heads, " heads");
    heads.push_back({pair[0].get<int>(), pair[1].get<int>()});
  }
  return heads;
}

bool read_bool(const json& config, const char* key) {
  const auto it = config.find(key);
  require(it != config.end() && it->is_boolean(), kBad, "config.json lacks '", key, "', which is true or false");
  return it->get<bool>();
}

DecoderUnit read_decoder_unit(const json& config) {
  const auto it = config.find("decoder_unit");
  if (it == config.end() || *it == "self-attention") return DecoderUnit::kSelfAttention;
  require(*it == "ssru", kBad, "config.json: decoder_unit must be \"self-attention\" or \"ssru\"");
  return DecoderUnit::kSsru;
}

}  // namespace

std::vector<Head> usual_alignment_heads(const Config& c) {
  std::vector<Head> heads;
  for (int head = 0; head < c.decoder_heads; ++head) heads.push_back({std::max(c.decoder_layers - 2, 0), head});
  return heads;
}

std::pair<std::string, std::string> parse_languages(std::string_view text) {
  const json config = parse_object(text);
  return {read_language(config, "source_language"), read_language(config, "target_language")};
}

Config parse_config(std::string_view text) {
  const json config = parse_object(text);
  expect(config, "model_type", "marian");
  expect(config, "activation_function", "relu");
  expect(config, "normalize_before", false);
  expect(config, "scale_embedding", true);
  expect(config, "position_embedding", "sinusoidal");
  expect(config, "decoder_start", "zero");

  Config c{};
  std::tie(c.source_language, c.target_language) = parse_languages(text);
  c.width = read_int(config, "d_model", 4, 8192);
  c.encoder_ffn_width = read_int(config, "encoder_ffn_dim", 1, 65536);
  c.decoder_ffn_width = read_int(config, "decoder_ffn_dim", 1, 65536);
  c.encoder_layers = read_int(config, "encoder_layers", 1, 64);
  c.decoder_layers = read_int(config, "decoder_layers", 1, 64);
  c.encoder_heads = read_int(config, "encoder_attention_heads", 1, 256);
  c.decoder_heads = read_int(config, "decoder_attention_heads", 1, 256);
  c.shared_embedding = read_bool(config, "share_encoder_decoder_embeddings");
  c.source_vocabulary = read_int(config, "vocab_size", 2, 1 << 20);
  c.vocabulary = c.source_vocabulary;
  if (!c.shared_embedding && config.contains("decoder_vocab_size"))
    c.vocabulary = read_int(config, "decoder_vocab_size", 2, 1 << 20);
  c.decoder_unit = read_decoder_unit(config);
  c.eos = read_int(config, "eos_token_id", 0, std::min(c.source_vocabulary, c.vocabulary) - 1);
  for (int heads : {c.encoder_heads, c.decoder_heads}) {
    require(c.width % heads == 0, kBad, "config.json: ", heads, " attention heads do not divide d_model ", c.width);
  }
  require(c.width % 2 == 0, kBad, "config.json: d_model ", c.width, " is odd; positions need sine and cosine halves");
  const auto eps = config.find("layer_norm_eps");
  require(eps != config.end() && eps->is_number(), kBad, "config.json lacks the number 'layer_norm_eps'");
  c.layer_norm_eps = eps->get<float>();
  require(c.layer_norm_eps > 0 && c.layer_norm_eps < 1, kBad, "config.json: layer_norm_eps is ", c.layer_norm_eps,
          ", which is not within 0..1");
  c.alignment_heads = read_alignment_heads(config, c);
  return c;
}

}  // namespace dragoman
