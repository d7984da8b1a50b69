#include "model/config.h"

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <numeric>
#include <tuple>

#include "base/error.h"
#include "model/positions.h"

namespace dragoman {
namespace {

using nlohmann::json;

using enum ErrorCode;

json parse_object(std::string_view text) {
  json config = json::parse(text, nullptr, /*allow_exceptions=*/false);
  require(config.is_object(), kBadConfig, "config.json is not a JSON object");
  return config;
}

int read_int(const json& config, const char* key, int least, int most) {
  const auto it = config.find(key);
  require(it != config.end() && it->is_number_integer(), kBadConfig, "config.json lacks the whole number '", key, "'");
  const auto value = it->get<int64_t>();
  require(least <= value && value <= most, kBadConfig, "config.json: ", key, " is ", value, ", which is not within ",
          least, "..", most);
  return static_cast<int>(value);
}

std::string read_language(const json& config, const char* key) {
  const auto it = config.find(key);
  require(it != config.end() && it->is_string() && !it->get_ref<const std::string&>().empty(), kBadConfig,
          "config.json lacks the language tag '", key, "'");
  return it->get<std::string>();
}

// As an error shows it: printing a deep structure would exhaust the stack.
std::string printed(const json& value) {
  return value.is_primitive() ? value.dump(-1, ' ', true, json::error_handler_t::replace) : value.type_name();
}

std::vector<Head> read_alignment_heads(const json& config, const Config& c) {
  constexpr auto kKey = "alignment_heads";
  const auto it = config.find(kKey);
  if (it == config.end()) return usual_alignment_heads(c);
  std::vector<Head> heads;
  require(it->is_array() && !it->empty(), kBadConfig, "config.json: ", kKey, " is no list of [layer, head]");
  for (const json& pair : *it) {
    const bool two =
        pair.is_array() && pair.size() == 2 && pair[0].is_number_unsigned() && pair[1].is_number_unsigned();
    require(two && pair[0] < c.decoder_layers && pair[1] < c.decoder_heads, kBadConfig, "config.json: ", kKey,
            " names what is no [layer, head] of ", c.decoder_layers, " layers with ", c.decoder_heads, " heads");
    heads.push_back({pair[0].get<int>(), pair[1].get<int>()});
  }
  return heads;
}

// An absent field is what `missing` says.
bool read_bool(const json& config, const char* key, bool missing) {
  const auto it = config.find(key);
  if (it == config.end()) return missing;
  require(it->is_boolean(), kBadConfig, "config.json: ", key, " must be true or false");
  return it->get<bool>();
}

int read_int(const json& config, const char* key, int least, int most, int missing) {
  return config.contains(key) ? read_int(config, key, least, most) : missing;
}

// One of several words, of which the first is the default; the value is its index in the enumeration.
template <class Value>
Value read_word(const json& config, const char* key, std::initializer_list<std::pair<const char*, Value>> words) {
  const auto it = config.find(key);
  if (it == config.end()) return words.begin()->second;
  std::string known;
  for (const auto& [word, value] : words) {
    if (*it == word) return value;
    known += (known.empty() ? "\"" : ", \"") + std::string(word) + '"';
  }
  fail(kBadConfig, "config.json: ", key, " must be one of ", known, ", not ", printed(*it));
}

// For each layer, the one whose parameters it has.
std::vector<int> read_tied_layers(const json& config, const char* key, int layers) {
  std::vector<int> tied(layers);
  std::iota(tied.begin(), tied.end(), 0);
  const auto it = config.find(key);
  if (it == config.end()) return tied;
  require(it->is_array() && it->size() == tied.size(), kBadConfig, "config.json: ", key, " is no list of ", layers,
          " layers");
  for (int i = 0; i < layers; ++i) {
    require((*it)[i].is_number_unsigned() && (*it)[i] < layers, kBadConfig, "config.json: ", key,
            " names no layer below ", layers, " for layer ", i);
    tied[i] = (*it)[i].get<int>();
  }
  for (const int layer : tied)
    require(tied[layer] == layer, kBadConfig, "config.json: ", key, " has layer ", layer,
            " lend parameters it does not own");
  return tied;
}

void read_variants(const json& config, Config& c) {
  c.decoder_unit = read_word<DecoderUnit>(
      config, "decoder_unit", {{"self-attention", DecoderUnit::kSelfAttention}, {"ssru", DecoderUnit::kSsru}});
  c.activation = read_word<Activation>(config, "activation_function",
                                       {{"relu", Activation::kRelu},
                                        {"gelu", Activation::kGelu},
                                        {"gelu_new", Activation::kGeluTanh},
                                        {"quick_gelu", Activation::kGeluSigmoid},
                                        {"silu", Activation::kSilu}});
  c.deviation = read_word<Deviation>(config, "layer_norm",
                                     {{"variance", Deviation::kVariance},
                                      {"deviation", Deviation::kPlain},
                                      {"unbiased-deviation", Deviation::kUnbiased}});
  c.positions = read_word<Positions>(config, "position_embedding",
                                     {{"sinusoidal", Positions::kSinusoidal},
                                      {"sinusoidal-halves", Positions::kHalves},
                                      {"sinusoidal-interleaved", Positions::kInterleaved},
                                      {"learned", Positions::kLearned},
                                      {"none", Positions::kNone}});
  c.projections = read_word<Projections>(config, "projections",
                                         {{"separate", Projections::kSeparate},
                                          {"fused", Projections::kFused},
                                          {"fused-heads", Projections::kFusedHeads}});
  const bool norm_first = read_bool(config, "normalize_before", false);
  c.encoder_norm_first = read_bool(config, "encoder_normalize_before", norm_first);
  c.decoder_norm_first = read_bool(config, "decoder_normalize_before", norm_first);
  c.encoder_final_norm = read_bool(config, "encoder_final_norm", c.encoder_norm_first);
  c.decoder_final_norm = read_bool(config, "decoder_final_norm", c.decoder_norm_first);
  c.embedding_norm = read_bool(config, "normalize_embedding", false);
  c.scaled_embedding = read_bool(config, "scale_embedding", true);
  c.tied_output = read_bool(config, "tie_word_embeddings", true);
  c.output_bias = read_bool(config, "output_bias", true);
  c.position_offset = read_int(config, "position_offset", 0, 1024, 0);
  const int positions = read_int(config, "max_position_embeddings", 1, 1 << 16, kMaxPositions);
  c.source_positions = read_int(config, "max_source_positions", 1, 1 << 16, positions);
  c.target_positions = read_int(config, "max_target_positions", 1, 1 << 16, positions);
  c.encoder_tied = read_tied_layers(config, "encoder_tied_layers", c.encoder_layers);
  c.decoder_tied = read_tied_layers(config, "decoder_tied_layers", c.decoder_layers);
  enum class Start { kZero, kToken };
  if (read_word<Start>(config, "decoder_start", {{"zero", Start::kZero}, {"token", Start::kToken}}) == Start::kToken)
    c.start = read_int(config, "decoder_start_token_id", 0, c.vocabulary - 1);
  c.wide_activations = read_bool(config, "wide_activations", false);
  c.forced_first = read_int(config, "forced_bos_token_id", 0, c.vocabulary - 1, -1);
}

// The width of a head, which need not share out the layer's.
int read_head_width(const json& config, const char* key, int width, int heads) {
  const int head_width = read_int(config, key, 1, 8192, 0);
  require(head_width != 0 || width % heads == 0, kBadConfig, "config.json: ", heads,
          " attention heads do not divide d_model ", width, ", and ", key, " is missing");
  const int found = head_width != 0 ? head_width : width / heads;
  require(heads * found <= 65536, kBadConfig, "config.json: ", heads, " heads of ", found, " numbers are too wide");
  return found;
}

void check_widths(const Config& c) {
  const bool sinusoidal = c.positions != Positions::kNone && c.positions != Positions::kLearned;
  for (const int width : {c.encoder_width, c.width})
    require(!sinusoidal || width % 2 == 0, kBadConfig, "config.json: d_model ", width,
            " is odd; positions need as many sines as cosines");
  require(!c.shared_embedding || c.encoder_width == c.width, kBadConfig,
          "config.json: both sides share one embedding, but their widths are ", c.encoder_width, " and ", c.width);
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
  const auto type = config.find("model_type");
  require(type != config.end() && *type == "marian", kBadConfig, "config.json: model_type must be \"marian\", not ",
          type == config.end() ? "missing" : printed(*type));

  Config c{};
  std::tie(c.source_language, c.target_language) = parse_languages(text);
  c.width = read_int(config, "d_model", 4, 8192);
  c.encoder_width = read_int(config, "encoder_d_model", 4, 8192, c.width);
  c.encoder_ffn_width = read_int(config, "encoder_ffn_dim", 1, 65536);
  c.decoder_ffn_width = read_int(config, "decoder_ffn_dim", 1, 65536);
  c.encoder_layers = read_int(config, "encoder_layers", 1, 64);
  c.decoder_layers = read_int(config, "decoder_layers", 1, 64);
  c.encoder_heads = read_int(config, "encoder_attention_heads", 1, 256);
  c.decoder_heads = read_int(config, "decoder_attention_heads", 1, 256);
  c.encoder_head_width = read_head_width(config, "encoder_head_dim", c.encoder_width, c.encoder_heads);
  c.decoder_head_width = read_head_width(config, "decoder_head_dim", c.width, c.decoder_heads);
  c.shared_embedding = read_bool(config, "share_encoder_decoder_embeddings", true);
  c.source_vocabulary = read_int(config, "vocab_size", 2, 1 << 20);
  c.vocabulary = c.source_vocabulary;
  if (!c.shared_embedding) c.vocabulary = read_int(config, "decoder_vocab_size", 2, 1 << 20, c.vocabulary);
  c.eos = read_int(config, "eos_token_id", 0, std::min(c.source_vocabulary, c.vocabulary) - 1);
  const auto eps = config.find("layer_norm_eps");
  require(eps != config.end() && eps->is_number(), kBadConfig, "config.json lacks the number 'layer_norm_eps'");
  c.layer_norm_eps = eps->get<float>();
  require(c.layer_norm_eps > 0 && c.layer_norm_eps < 1, kBadConfig, "config.json: layer_norm_eps is ", c.layer_norm_eps,
          ", which is not within 0..1");
  read_variants(config, c);
  check_widths(c);
  c.alignment_heads = read_alignment_heads(config, c);
  return c;
}

}  // namespace dragoman
