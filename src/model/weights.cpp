#include "model/weights.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <string>

#include "base/error.h"
#include "io/marian_binary.h"
#include "io/safetensors.h"
#include "model/marian_config.h"
#include "model/positions.h"
#include "model/residual.h"

namespace dragoman {
namespace {

using enum ErrorCode;

// Trained weights are below 100. The bound keeps every activation of a damaged or hostile model finite: with layer
// norms between the products nothing then exceeds 1e30.
constexpr float kLargestWeight = 1e4f;

std::string describe(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

Eigen::half half_at(const std::byte* bytes, int64_t i) {
  uint16_t bits;
  std::memcpy(&bits, bytes + 2 * i, 2);
  return Eigen::numext::bit_cast<Eigen::half>(bits);
}

std::string own_name(const Config&, const std::string& name) { return name; }

// Hands out each tensor once, checked against the shape that the config asks for.
class TensorReader {
 public:
  using FileName = std::string (*)(const Config&, const std::string&);

  // file_name: what a tensor of ours is called among `tensors`, and so in errors.
  TensorReader(std::map<std::string, Tensor> tensors, const Config& config, FileName file_name)
      : tensors_(std::move(tensors)), config_(&config), name_(file_name) {}

  // dot: what stands between a layer's name and its parts'.
  Linear linear(const std::string& name, int outputs, int width, const char* dot = ".") {
    auto weights = matrix(name + dot + "weight", outputs, width);
    return Linear(std::move(weights), vector(name + dot + "bias", {outputs}));
  }

  std::variant<FloatMatrix, Int8Matrix> matrix(const std::string& name, int outputs, int width) {
    const Tensor tensor = take(name, {outputs, width});
    if (tensor.type == TensorType::kI8) {
      has_int8_ = true;
      return Int8Matrix(tensor.bytes, row_scales(name, tensor, outputs), outputs, width);
    }
    require(tensor.type != TensorType::kU16, kBadModel, "tensor ", file_name(name),
            " is U16; it must be I8, F32 or F16");
    FloatMatrix weights{Matrix(outputs, width)};
    read_floats(name, tensor, weights.values.data());
    return weights;
  }

  Vector vector(const std::string& name, const std::vector<int64_t>& shape) {
    const Tensor tensor = take(name, shape);
    require(tensor.type == TensorType::kF32 || tensor.type == TensorType::kF16, kBadModel, "tensor ", file_name(name),
            " must be F32 or F16");
    int64_t size = 1;
    for (int64_t n : shape) size *= n;
    Vector values(size);
    read_floats(name, tensor, values.data());
    return values;
  }

  // Hugging Face writes [1, V], some converters [V].
  Vector logits_bias(int vocabulary) {
    const std::string name = "final_logits_bias";
    const auto it = tensors_.find(file_name(name));
    const bool flat = it != tensors_.end() && it->second.shape.size() == 1;
    return vector(name, flat ? std::vector<int64_t>{vocabulary} : std::vector<int64_t>{1, vocabulary});
  }

  LayerNormWeights norm(const std::string& name, int width) {
    auto gain = vector(name + ".weight", {width});
    return {std::move(gain), vector(name + ".bias", {width})};
  }

  // shortlist.candidates [source V, K] and shortlist.frequent [F], if the file has them.
  std::optional<LexicalTable> lexical_table(const Config& c) {
    if (!tensors_.contains("shortlist.candidates")) return std::nullopt;
    auto candidates = pieces("shortlist.candidates", c.vocabulary);
    const auto sources = static_cast<size_t>(c.source_vocabulary);
    require(candidates.size() % sources == 0, kBadModel, "tensor shortlist.candidates has ", candidates.size(),
            " pieces; it needs as many for each of ", sources);
    std::vector<uint32_t> offsets;
    for (size_t i = 0; i <= sources; ++i) offsets.push_back(static_cast<uint32_t>(candidates.size() / sources * i));
    auto frequent = pieces("shortlist.frequent", c.vocabulary);
    for (const int always : {c.eos, c.forced_first})
      if (always >= 0) frequent.push_back(static_cast<uint16_t>(always));
    return LexicalTable(std::move(offsets), std::move(candidates), std::move(frequent), c.shared_embedding);
  }

  // W [outputs, width] without a bias.
  Linear bare_linear(const std::string& name, int outputs, int width) {
    return Linear(matrix(name + ".weight", outputs, width), Vector::Zero(outputs));
  }

  bool has_int8() const { return has_int8_; }

  void expect_empty() const {
    require(tensors_.empty(), kBadModel, "model has ", tensors_.size(),
            " tensors more than its configuration describes, first '", tensors_.empty() ? "" : tensors_.begin()->first,
            "'");
  }

 private:
  std::string file_name(const std::string& name) const { return name_(*config_, name); }

  Tensor take(const std::string& our_name, const std::vector<int64_t>& shape) {
    const std::string name = file_name(our_name);
    auto node = tensors_.extract(name);
    require(!node.empty(), kBadModel, "model lacks the tensor ", name);
    require(node.mapped().shape == shape, kBadModel, "tensor ", name, " has shape ", describe(node.mapped().shape),
            "; the model's configuration asks for ", describe(shape));
    return node.mapped();
  }

  std::vector<float> row_scales(const std::string& name, const Tensor& tensor, int outputs) {
    if (tensor.scale == 0) {
      const Vector scale = vector(name + "_scale", {outputs});
      return {scale.begin(), scale.end()};
    }
    require(tensor.scale <= kLargestWeight, kBadModel, "tensor ", file_name(name), " has steps of ", tensor.scale,
            ", which no trained model does: the file is damaged");
    return std::vector<float>(outputs, tensor.scale);
  }

  std::vector<uint16_t> pieces(const std::string& name, int vocabulary) {
    auto node = tensors_.extract(name);
    require(!node.empty(), kBadModel, "model lacks the tensor ", name);
    require(node.mapped().type == TensorType::kU16, kBadModel, "tensor ", name, " must be U16");
    std::vector<uint16_t> values(node.mapped().bytes.size() / 2);
    std::copy(node.mapped().bytes.begin(), node.mapped().bytes.end(), reinterpret_cast<std::byte*>(values.data()));
    for (const uint16_t value : values)
      require(value < vocabulary, kBadModel, "tensor ", name, " names piece ", value, " of ", vocabulary);
    return values;
  }

  void read_floats(const std::string& name, const Tensor& tensor, float* out) const {
    const auto count = static_cast<int64_t>(tensor.bytes.size() / (tensor.type == TensorType::kF32 ? 4 : 2));
    if (tensor.type == TensorType::kF32) {
      std::memcpy(out, tensor.bytes.data(), tensor.bytes.size());
    } else {
      for (int64_t i = 0; i < count; ++i) out[i] = static_cast<float>(half_at(tensor.bytes.data(), i));
    }
    for (int64_t i = 0; i < count; ++i) {
      require(std::abs(out[i]) <= kLargestWeight, kBadModel, "tensor ", file_name(name), " holds ", out[i],
              " at index ", i, ", which no trained model does: the file is damaged");
    }
  }

  std::map<std::string, Tensor> tensors_;
  const Config* config_;
  FileName name_;
  bool has_int8_ = false;
};

// Query, key and value.
struct Projected {
  Linear query, key, value;
};

// The rows begin ... begin + width - 1 of each head, whose rows are `stride` apart.
Linear heads_of(const Linear& fused, int heads, int width, int stride, int begin) {
  std::vector<int> rows;
  for (int head = 0; head < heads; ++head)
    for (int i = 0; i < width; ++i) rows.push_back(head * stride + begin + i);
  return fused.select(rows);
}

// memory_width: of what keys and values read.
Projected read_projections(TensorReader& in, const std::string& name, const Config& c, const LayerForm& form,
                           int memory_width, bool is_cross) {
  const int heads = form.heads, width = form.head_width, all = form.attention_width();
  if (c.projections == Projections::kFusedHeads && is_cross) {
    auto query = in.linear(name + ".q_proj", all, form.width);
    const Linear fused = in.linear(name + ".kv_proj", 2 * all, memory_width);
    return {std::move(query), heads_of(fused, heads, width, 2 * width, 0),
            heads_of(fused, heads, width, 2 * width, width)};
  }
  if (c.projections == Projections::kFusedHeads) {
    const Linear fused = in.linear(name + ".qkv_proj", 3 * all, form.width);
    const auto part = [&](int i) { return heads_of(fused, heads, width, 3 * width, i * width); };
    return {part(0), part(1), part(2)};
  }
  if (c.projections == Projections::kFused && form.width == memory_width) {
    const Linear fused = in.linear(name + ".in_proj", 3 * all, form.width, "_");
    const auto part = [&](int i) { return heads_of(fused, 1, all, 0, i * all); };
    return {part(0), part(1), part(2)};
  }
  auto query = in.linear(name + ".q_proj", all, form.width);
  auto key = in.linear(name + ".k_proj", all, memory_width);
  return {std::move(query), std::move(key), in.linear(name + ".v_proj", all, memory_width)};
}

AttentionWeights read_attention(TensorReader& in, const std::string& name, const Config& c, const LayerForm& form,
                                int memory_width, bool is_cross) {
  auto [query, key, value] = read_projections(in, name, c, form, memory_width, is_cross);
  auto output = in.linear(name + ".out_proj", form.width, form.attention_width());
  return {std::move(query), std::move(key), std::move(value), std::move(output),
          in.norm(name + "_layer_norm", form.width)};
}

SsruWeights read_ssru(TensorReader& in, const std::string& name, int width) {
  auto forget = in.linear(name + ".forget", width, width);
  auto candidate = in.bare_linear(name + ".candidate", width, width);
  return {std::move(forget), std::move(candidate), in.norm(name + "_layer_norm", width)};
}

std::variant<AttentionWeights, SsruWeights> read_history(TensorReader& in, const std::string& layer, const Config& c) {
  if (c.decoder_unit == DecoderUnit::kSsru) return read_ssru(in, layer + ".ssru", c.width);
  return read_attention(in, layer + ".self_attn", c, decoder_form(c), c.width, false);
}

FeedForwardWeights read_feed_forward(TensorReader& in, const std::string& layer, int width, int ffn_width) {
  auto up = in.linear(layer + ".fc1", ffn_width, width);
  auto down = in.linear(layer + ".fc2", width, ffn_width);
  return {std::move(up), std::move(down), in.norm(layer + ".final_layer_norm", width)};
}

EncoderLayerWeights read_encoder_layer(TensorReader& in, int i, const Config& c) {
  const std::string layer = "model.encoder.layers." + std::to_string(i);
  auto self_attention = read_attention(in, layer + ".self_attn", c, encoder_form(c), c.encoder_width, false);
  return {std::move(self_attention), read_feed_forward(in, layer, c.encoder_width, c.encoder_ffn_width)};
}

DecoderLayerWeights read_decoder_layer(TensorReader& in, int i, const Config& c) {
  const std::string layer = "model.decoder.layers." + std::to_string(i);
  auto history = read_history(in, layer, c);
  auto cross_attention = read_attention(in, layer + ".encoder_attn", c, decoder_form(c), c.encoder_width, true);
  return {std::move(history), std::move(cross_attention), read_feed_forward(in, layer, c.width, c.decoder_ffn_width)};
}

// Each layer's parameters once. Returns which of `layers` each layer has.
template <class Layer>
std::vector<int> read_layers(TensorReader& in, const Config& c, const std::vector<int>& tied,
                             Layer (*read)(TensorReader&, int, const Config&), std::vector<Layer>& layers) {
  std::map<int, int> number_of;
  std::vector<int> order;
  for (const int owner : tied) {
    const auto [at, is_new] = number_of.emplace(owner, static_cast<int>(layers.size()));
    if (is_new) layers.push_back(read(in, owner, c));
    order.push_back(at->second);
  }
  return order;
}

// length: of the side's table of positions, if they are learned.
SideWeights read_side(TensorReader& in, const std::string& side, const Config& c, int length, int width,
                      bool has_final_norm) {
  SideWeights weights;
  if (c.positions == Positions::kLearned) {
    const int used = std::min(length, kMaxPositions);
    const Vector table = in.vector(side + ".embed_positions.weight", {length + c.position_offset, width});
    weights.positions =
        std::make_shared<Matrix>(ConstMatrixView(table.data() + c.position_offset * width, used, width));
  }
  if (c.embedding_norm) weights.embedding_norm = in.norm(side + ".layernorm_embedding", width);
  if (has_final_norm) weights.final_norm = in.norm(side + ".layer_norm", width);
  return weights;
}

// All but the shortlist, and the bytes behind int8 matrices.
Weights read_weights(TensorReader& in, const Config& c) {
  auto embedding = in.matrix(c.shared_embedding ? "model.shared.weight" : "model.decoder.embed_tokens.weight",
                             c.vocabulary, c.width);
  Vector bias = c.output_bias ? in.logits_bias(c.vocabulary) : Vector::Zero(c.vocabulary);
  if (c.unknown >= 0) bias[c.unknown] = -kLargestWeight;
  Weights weights{.embedding = Linear(std::move(embedding), bias)};
  if (!c.shared_embedding)
    weights.source_embedding = in.bare_linear("model.encoder.embed_tokens", c.source_vocabulary, c.encoder_width);
  if (!c.tied_output) weights.output = Linear(in.matrix("lm_head.weight", c.vocabulary, c.width), std::move(bias));
  weights.source = read_side(in, "model.encoder", c, c.source_positions, c.encoder_width, c.encoder_final_norm);
  weights.target = read_side(in, "model.decoder", c, c.target_positions, c.width, c.decoder_final_norm);
  if (c.positions != Positions::kNone && c.positions != Positions::kLearned) {
    const auto table = [&](int width) {
      return std::make_shared<Matrix>(sinusoidal_positions(c.positions, c.position_offset, kMaxPositions, width));
    };
    weights.source.positions = table(c.encoder_width);
    weights.target.positions = c.width == c.encoder_width ? weights.source.positions : table(c.width);
  }
  weights.encoder_order = read_layers(in, c, c.encoder_tied, read_encoder_layer, weights.encoder);
  weights.decoder_order = read_layers(in, c, c.decoder_tied, read_decoder_layer, weights.decoder);
  return weights;
}

// Pieces are kept in 16 bits.
LexicalTable read_shortlist(const Config& c, std::span<const std::byte> file) {
  const MarianShortlist list = parse_marian_shortlist(file);
  require(c.vocabulary <= 1 << 16, kBadModel, "a shortlist of ", c.vocabulary,
          " pieces is not supported; at most 65536 are");
  require(list.offsets.size() == static_cast<size_t>(c.source_vocabulary) + 1, kBadModel, "shortlist file is for ",
          list.offsets.size() - 1, " source pieces; the model has ", c.source_vocabulary);
  std::vector<uint16_t> candidates, frequent;
  candidates.reserve(list.pieces());
  for (size_t i = 0; i < list.pieces(); ++i) {
    const uint32_t piece = list.piece(i);
    require(static_cast<int64_t>(piece) < c.vocabulary, kBadModel, "shortlist file names piece ", piece, " of ",
            c.vocabulary);
    candidates.push_back(static_cast<uint16_t>(piece));
  }
  const auto first = static_cast<int>(std::min<uint64_t>(list.frequent, c.vocabulary));
  for (int i = 0; i < first; ++i) frequent.push_back(static_cast<uint16_t>(i));
  frequent.push_back(static_cast<uint16_t>(c.eos));
  return LexicalTable({list.offsets.begin(), list.offsets.end()}, std::move(candidates), std::move(frequent),
                      c.shared_embedding);
}

// Both sides of a model of Marian's have one table of positions, and no more positions than that.
void split_positions(MarianModel& marian, Config& c) {
  if (c.positions != Positions::kLearned) return;
  auto table = marian.tensors.extract("Wpos");
  require(!table.empty(), kBadModel, "model lacks the tensor Wpos");
  require(table.mapped().shape.size() == 2, kBadModel, "tensor Wpos has shape ", describe(table.mapped().shape),
          "; the model's configuration asks for [positions, ", c.width, "]");
  c.source_positions = c.target_positions = static_cast<int>(table.mapped().shape[0]);
  for (const char* const side : {"encoder_Wpos", "decoder_Wpos"}) marian.tensors[side] = table.mapped();
}

}  // namespace

Model load_model(std::string_view config_json, std::vector<std::byte> file, std::span<const std::byte> shortlist) {
  const bool is_marians = is_marian_model(file);
  require(is_marians || shortlist.empty(), kBadModel,
          "a shortlist in a file of its own belongs to a model of Marian's; this is none, or damaged at its beginning");
  MarianModel marian;
  if (is_marians) marian = parse_marian_model(file);
  Config c = is_marians ? parse_marian_config(marian.config, config_json) : parse_config(config_json);
  if (is_marians) split_positions(marian, c);
  TensorReader in = is_marians ? TensorReader(std::move(marian.tensors), c, marian_name)
                               : TensorReader(parse_safetensors(file), c, own_name);
  Model model{c, read_weights(in, c)};
  if (is_marians && !shortlist.empty()) model.weights.lexical = read_shortlist(c, shortlist);
  if (!is_marians) model.weights.lexical = in.lexical_table(c);
  in.expect_empty();
  model.weights.bytes = file.size();
  if (in.has_int8()) model.weights.file = std::move(file);  // else all was copied out
  return model;
}

}  // namespace dragoman
