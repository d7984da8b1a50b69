#include "model/marian_config.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <tuple>

#include "base/error.h"
#include "model/positions.h"

namespace dragoman {
namespace {

using enum ErrorCode;

// Options that change nothing for a Transformer that is not trained: of recurrent models, of training and of other
// types. What they are set to does not matter.
constexpr std::string_view kWithoutEffect[] = {"authors",
                                               "bert-class-symbol",
                                               "bert-mask-symbol",
                                               "bert-masking-fraction",
                                               "bert-sep-symbol",
                                               "bert-train-type-embeddings",
                                               "bert-type-vocab-size",
                                               "char-conv-filters-num",
                                               "char-conv-filters-widths",
                                               "char-highway",
                                               "char-stride",
                                               "dec-cell-base-depth",
                                               "dec-cell-high-depth",
                                               "dim-rnn",
                                               "enc-cell",
                                               "enc-cell-depth",
                                               "enc-type",
                                               "factors-combine",
                                               "lemma-dependency",
                                               "max-length",
                                               "output-approx-knn",
                                               "skip",
                                               "transformer-aan-activation",
                                               "transformer-aan-depth",
                                               "transformer-aan-nogate",
                                               "transformer-depth-scaling",
                                               "transformer-dim-aan",
                                               "transformer-flat-aan",
                                               "ulr-dim-emb",
                                               "ulr-trainable-transformation",
                                               "version"};

// Options that are honoured, but for one value: others are refused. Empty lists and empty text are "".
const std::map<std::string_view, std::string_view> kMustBe = {
    {"factors-dim-emb", "0"},         {"input-types", ""},
    {"layer-normalization", "false"}, {"lemma-dim-emb", "0"},
    {"right-left", "false"},          {"special-vocab", ""},
    {"transformer-ffn-depth", "2"},   {"transformer-no-affine", "false"},
    {"transformer-no-bias", "false"}, {"transformer-no-projection", "false"},
    {"transformer-pool", "false"},    {"transformer-rnn-projection", "false"},
    {"type", "transformer"},          {"ulr", "false"},
};

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\"'"), end = text.find_last_not_of(" \t\r\"'");
  return begin == text.npos ? std::string_view() : text.substr(begin, end - begin + 1);
}

// The part of YAML that Marian writes: "key: value" a line, lists as "- value" lines or in brackets. A list becomes its
// values with blanks between them.
class Options {
 public:
  explicit Options(std::string_view text) {
    text = text.substr(0, text.find('\0'));
    std::string* value = nullptr;
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      read_line(text.substr(0, end), value);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  // The value of an option, which then counts as read; `missing` where there is no such option.
  std::string take(std::string_view key, std::string_view missing) {
    const auto node = values_.extract(std::string(key));
    return node.empty() ? std::string(missing) : node.mapped();
  }

  int take_int(std::string_view key, int least, int most) { return to_int(key, take(key, "missing"), least, most); }

  bool take_bool(std::string_view key) {
    const std::string value = take(key, "false");
    require(value == "true" || value == "false", kBadConfig, "special:model.yml: ", key, " is '", value,
            "', neither true nor false");
    return value == "true";
  }

  static int to_int(std::string_view key, std::string_view text, int least, int most) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    require(error == std::errc() && end == text.data() + text.size() && least <= value && value <= most, kBadConfig,
            "special:model.yml: ", key, " is ", text, ", which is not a whole number within ", least, "..", most);
    return value;
  }

  void expect_empty() const {
    require(values_.empty(), kBadConfig, "special:model.yml has the option '",
            values_.empty() ? "" : values_.begin()->first, "', which this core does not know");
  }

 private:
  void read_line(std::string_view line, std::string*& value) {
    if (trimmed(line).empty() || line.front() == '#') return;
    const bool continues = line.front() == ' ' || line.front() == '-';
    const size_t colon = line.find(':');
    require(continues ? value != nullptr : colon != line.npos, kBadConfig,
            "special:model.yml is not as Marian writes it: '", line.substr(0, 80), "'");
    if (!continues) {
      const auto [at, is_new] = values_.emplace(trimmed(line.substr(0, colon)), "");
      require(is_new, kBadConfig, "special:model.yml has the option '", at->first, "' twice");
      value = &at->second;
      line.remove_prefix(colon + 1);
    }
    std::string items(line);
    for (char& c : items)
      if (c == '[' || c == ']' || c == ',') c = ' ';
    std::string_view item = trimmed(items);
    if (continues && item.starts_with('-')) item = trimmed(item.substr(1));
    if (!value->empty() && !item.empty()) *value += ' ';
    *value += item;
  }

  std::map<std::string, std::string> values_;
};

void expect(std::string_view key, const std::string& value, std::string_view expected) {
  require(value == expected, kBadConfig, "special:model.yml: ", key, " must be '", expected, "', not '",
          value.substr(0, 80), "'");
}

// What is done around a layer: a(dd) and n(orm); d(ropout) is nothing in translation.
std::string take_operations(Options& options, std::string_view key, std::string_view missing) {
  std::string operations = options.take(key, missing);
  std::erase(operations, 'd');
  return operations;
}

// Whether a norm is all that is done there, or nothing is.
bool take_norm(Options& options, std::string_view key) {
  const std::string operations = take_operations(options, key, "");
  if (operations != "n") expect(key, operations, "");
  return operations == "n";
}

void take_norms(Options& options, Config& c) {
  c.encoder_norm_first = c.decoder_norm_first = take_norm(options, "transformer-preprocess");
  require(!c.decoder_norm_first || c.decoder_unit != DecoderUnit::kSsru, kBadConfig,
          "special:model.yml: transformer-preprocess 'n' is not supported before an SSRU");
  expect("transformer-postprocess", take_operations(options, "transformer-postprocess", "an"),
         c.encoder_norm_first ? "a" : "an");
  c.encoder_final_norm = c.decoder_final_norm = take_norm(options, "transformer-postprocess-top");
  c.embedding_norm = take_norm(options, "transformer-postprocess-emb");
}

// For each layer, the one whose parameters it has; Marian counts from 1.
std::vector<int> take_tied_layers(Options& options, int layers) {
  constexpr std::string_view kKey = "transformer-tied-layers";
  std::vector<int> tied;
  const std::string numbers = options.take(kKey, "");
  for (std::string_view rest = trimmed(numbers); !rest.empty();) {
    const size_t end = std::min(rest.find(' '), rest.size());
    tied.push_back(Options::to_int(kKey, rest.substr(0, end), 1, layers) - 1);
    rest = trimmed(rest.substr(end));
  }
  if (tied.empty()) {
    tied.resize(layers);
    std::iota(tied.begin(), tied.end(), 0);
  }
  require(tied.size() == static_cast<size_t>(layers), kBadConfig, "special:model.yml: ", kKey, " has ", tied.size(),
          " layers; dec-depth is ", layers);
  for (const int layer : tied)
    require(tied[layer] == layer, kBadConfig, "special:model.yml: ", kKey, " has layer ", layer + 1,
            " lend parameters it does not own");
  return tied;
}

DecoderUnit take_decoder_unit(Options& options) {
  const std::string autoreg = options.take("transformer-decoder-autoreg", "self-attention");
  const std::string cell = options.take("dec-cell", "");
  if (autoreg == "self-attention") return DecoderUnit::kSelfAttention;
  require(autoreg == "rnn", kBadConfig,
          "special:model.yml: transformer-decoder-autoreg must be 'self-attention' or 'rnn', not '",
          autoreg.substr(0, 80), "'");
  require(cell == "ssru", kBadConfig, "special:model.yml: dec-cell must be 'ssru', not '", cell.substr(0, 80), "'");
  return DecoderUnit::kSsru;
}

Activation take_activation(Options& options) {
  const std::string activation = options.take("transformer-ffn-activation", "relu");
  if (activation == "swish") return Activation::kSilu;
  if (activation == "gelu") return Activation::kGeluSigmoid;  // Marian's is not the others'
  expect("transformer-ffn-activation", activation, "relu");
  return Activation::kRelu;
}

void take_vocabularies(Options& options, Config& c) {
  const std::string sizes = options.take("dim-vocabs", "missing");
  const size_t blank = std::min(sizes.find(' '), sizes.size());
  c.source_vocabulary = Options::to_int("dim-vocabs", sizes.substr(0, blank), 2, 1 << 20);
  c.vocabulary = Options::to_int("dim-vocabs", trimmed(sizes.substr(blank)), 2, 1 << 20);
  const bool all = options.take_bool("tied-embeddings-all"), target = options.take_bool("tied-embeddings");
  const bool source = options.take_bool("tied-embeddings-src");
  c.tied_output = all || target;
  c.shared_embedding = all || source;
  require(!c.shared_embedding || c.source_vocabulary == c.vocabulary, kBadConfig, "special:model.yml: dim-vocabs are ",
          sizes, ", though both sides share one embedding");
}

struct Renaming {
  std::string_view ours, marians;
};

// The end of a tensor's name, behind its layer.
constexpr Renaming kInLayer[] = {
    {"self_attn_layer_norm.", "self_Wo_ln_"},
    {"encoder_attn_layer_norm.", "context_Wo_ln_"},
    {"ssru_layer_norm.", "rnn_ffn_ln_"},
    {"final_layer_norm.", "ffn_ffn_ln_"},
    {"self_attn.", "self_"},
    {"encoder_attn.", "context_"},
    {"ssru.", "rnn_"},
    {"fc1.", "ffn_1"},
    {"fc2.", "ffn_2"},
};

constexpr Renaming kWhole[] = {
    {"model.shared.weight", "Wemb"},
    {"model.encoder.embed_tokens.weight", "encoder_Wemb"},
    {"model.decoder.embed_tokens.weight", "decoder_Wemb"},
    {"final_logits_bias", "decoder_ff_logit_out_b"},
    {"lm_head.weight", "decoder_ff_logit_out_W"},
};

// Behind the name of a side.
constexpr Renaming kOfSide[] = {
    {"embed_positions.weight", "_Wpos"},
    {"layernorm_embedding.weight", "_emb_ln_scale_pre"},
    {"layernorm_embedding.bias", "_emb_ln_bias_pre"},
    {"layer_norm.weight", "_top_ln_scale"},
    {"layer_norm.bias", "_top_ln_bias"},
};

constexpr Renaming kMatrices[] = {
    {"q_proj", "q"}, {"k_proj", "k"}, {"v_proj", "v"}, {"out_proj", "o"}, {"candidate", ""}, {"forget", "f"},
};

}  // namespace

Config parse_marian_config(std::string_view yml, std::string_view config_json) {
  Options options(yml);
  for (const std::string_view key : kWithoutEffect) options.take(key, "");
  for (const auto& [key, value] : kMustBe) expect(key, options.take(key, value), value);
  Config c{};
  std::tie(c.source_language, c.target_language) = parse_languages(config_json);
  c.width = options.take_int("dim-emb", 4, 8192);
  c.encoder_ffn_width = c.decoder_ffn_width = options.take_int("transformer-dim-ffn", 1, 65536);
  const int decoder_ffn_width =
      Options::to_int("transformer-decoder-dim-ffn", options.take("transformer-decoder-dim-ffn", "0"), 0, 65536);
  if (decoder_ffn_width != 0) c.decoder_ffn_width = decoder_ffn_width;
  const std::string depth = options.take("transformer-decoder-ffn-depth", "0");  // 0: as the encoder's
  if (depth != "0") expect("transformer-decoder-ffn-depth", depth, "2");
  c.encoder_layers = options.take_int("enc-depth", 1, 64);
  c.decoder_layers = options.take_int("dec-depth", 1, 64);
  c.encoder_heads = c.decoder_heads = options.take_int("transformer-heads", 1, 256);
  require(c.width % 2 == 0 && c.width % c.encoder_heads == 0, kBadConfig, "special:model.yml: dim-emb ", c.width,
          " is odd or not a multiple of transformer-heads, ", c.encoder_heads);
  c.decoder_unit = take_decoder_unit(options);
  take_norms(options, c);
  c.activation = take_activation(options);
  take_vocabularies(options, c);
  c.encoder_width = c.width;
  c.encoder_head_width = c.decoder_head_width = c.width / c.encoder_heads;
  c.source_positions = c.target_positions = kMaxPositions;
  if (options.take_bool("transformer-train-position-embeddings")) {
    c.positions = Positions::kLearned;
    c.scaled_embedding = false;
  }
  c.output_bias = !options.take_bool("output-omit-bias");
  for (int i = 0; i < c.encoder_layers; ++i) c.encoder_tied.push_back(i);
  c.decoder_tied = take_tied_layers(options, c.decoder_layers);
  c.layer_norm_eps = 1e-6f;  // these three are Marian's constants
  c.eos = 0;
  c.wide_activations = true;  // as near to the floats as the file allows: other engines round to 8 bits
  c.unknown = 1;
  // Marian guides its alignment to the first head of a layer, which is counted from 1.
  const std::string layer = options.take("transformer-guided-alignment-layer", "last");
  const int aligned = layer == "last"
                          ? c.decoder_layers
                          : Options::to_int("transformer-guided-alignment-layer", layer, 1, c.decoder_layers);
  c.alignment_heads = {{aligned - 1, 0}};
  options.expect_empty();
  return c;
}

std::string marian_name(const Config& config, const std::string& name) {
  for (const auto& [ours, marians] : kWhole)
    if (name == ours) return std::string(marians);
  // model.<side>.<part>, model.<side>.layers.<i>.<part>
  const size_t side = name.find('.') + 1, behind = name.find('.', side);
  for (const auto& [ours, marians] : kOfSide)
    if (std::string_view(name).substr(behind + 1) == ours)
      return name.substr(side, behind - side) + std::string(marians);
  const size_t layers = name.find(".layers.", side), layer = layers + 8;
  const size_t dot = name.find('.', layer);
  const std::string prefix =
      name.substr(side, layers - side) + "_l" + std::to_string(std::stoi(name.substr(layer)) + 1);
  const std::string_view part = std::string_view(name).substr(dot + 1);
  for (const auto& [ours, marians] : kInLayer) {
    if (!part.starts_with(ours)) continue;
    const std::string_view rest = part.substr(ours.size());
    if (marians.ends_with("ln_"))
      return prefix + '_' + std::string(marians) + (rest == "weight" ? "scale" : "bias") +
             (config.encoder_norm_first ? "_pre" : "");
    if (marians.starts_with("ffn_")) return prefix + "_ffn_" + (rest == "weight" ? 'W' : 'b') + marians.back();
    const size_t end = rest.find('.');
    for (const auto& [matrix, letter] : kMatrices) {
      if (rest.substr(0, end) == matrix)
        return prefix + '_' + std::string(marians) + (rest.substr(end + 1) == "weight" ? 'W' : 'b') +
               std::string(letter);
    }
  }
  fail(kBadModel, "Marian has no tensor like ", name);
}

}  // namespace dragoman
