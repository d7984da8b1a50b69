#include "model/weights.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <string>

#include "base/error.h"
#include "io/safetensors.h"

namespace dragoman {
namespace {

constexpr auto kBad = ErrorCode::kBadModel;

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

// Hands out each tensor once, checked against the shape that the config asks for.
class TensorReader {
 public:
  explicit TensorReader(std::map<std::string, Tensor> tensors) : tensors_(std::move(tensors)) {}

  Linear linear(const std::string& name, int outputs, int width) {
    auto weights = matrix(name + ".weight", outputs, width);
    return Linear(std::move(weights), vector(name + ".bias", {outputs}));
  }

  std::variant<FloatMatrix, Int8Matrix> matrix(const std::string& name, int outputs, int width) {
    const Tensor tensor = take(name, {outputs, width});
    if (tensor.type == TensorType::kI8) {
      const Vector scale = vector(name + "_scale", {outputs});
      has_int8_ = true;
      return Int8Matrix(tensor.bytes, {scale.begin(), scale.end()}, outputs, width);
    }
    require(tensor.type != TensorType::kU16, kBad, "tensor ", name, " is U16; it must be I8, F32 or F16");
    FloatMatrix weights{Matrix(outputs, width)};
    read_floats(name, tensor, weights.values.data());
    return weights;
  }

  Vector vector(const std::string& name, std::vector<int64_t> shape) {
    const Tensor tensor = take(name, shape);
    require(tensor.type == TensorType::kF32 || tensor.type == TensorType::kF16, kBad, "tensor ", name,
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
    const auto it = tensors_.find(name);
    const bool flat = it != tensors_.end() && it->second.shape.size() == 1;
    return vector(name, flat ? std::vector<int64_t>{vocabulary} : std::vector<int64_t>{1, vocabulary});
  }

  LayerNormWeights norm(const std::string& name, int width) {
    auto gain = vector(name + ".weight", {width});
    return {std::move(gain), vector(name + ".bias", {width})};
  }

  // shortlist.candidates [V, K] and shortlist.frequent [F], if the file has them.
  std::optional<LexicalTable> lexical_table(int vocabulary) {
    if (!tensors_.contains("shortlist.candidates")) return std::nullopt;
    auto candidates = pieces("shortlist.candidates", vocabulary);
    require(candidates.size() % vocabulary == 0, kBad, "tensor shortlist.candidates has ", candidates.size(),
            " pieces; it needs as many for each of ", vocabulary);
    return LexicalTable(std::move(candidates), pieces("shortlist.frequent", vocabulary), vocabulary);
  }

  // W [outputs, width] without a bias.
  Linear bare_linear(const std::string& name, int outputs, int width) {
    return Linear(matrix(name + ".weight", outputs, width), Vector::Zero(outputs));
  }

  bool has_int8() const { return has_int8_; }

  void expect_empty() const {
    require(tensors_.empty(), kBad, "model has ", tensors_.size(),
            " tensors more than its config.json describes, first '", tensors_.empty() ? "" : tensors_.begin()->first,
            "'");
  }

 private:
  Tensor take(const std::string& name, const std::vector<int64_t>& shape) {
    auto node = tensors_.extract(name);
    require(!node.empty(), kBad, "model lacks the tensor ", name);
    require(node.mapped().shape == shape, kBad, "tensor ", name, " has shape ", describe(node.mapped().shape),
            "; config.json asks for ", describe(shape));
    return node.mapped();
  }

  std::vector<uint16_t> pieces(const std::string& name, int vocabulary) {
    auto node = tensors_.extract(name);
    require(!node.empty(), kBad, "model lacks the tensor ", name);
    require(node.mapped().type == TensorType::kU16, kBad, "tensor ", name, " must be U16");
    std::vector<uint16_t> values(node.mapped().bytes.size() / 2);
    std::copy(node.mapped().bytes.begin(), node.mapped().bytes.end(), reinterpret_cast<std::byte*>(values.data()));
    for (const uint16_t value : values)
      require(value < vocabulary, kBad, "tensor ", name, " names piece ", value, " of ", vocabulary);
    return values;
  }

  static void read_floats(const std::string& name, const Tensor& tensor, float* out) {
    const auto count = static_cast<int64_t>(tensor.bytes.size() / (tensor.type == TensorType::kF32 ? 4 : 2));
    if (tensor.type == TensorType::kF32) {
      std::memcpy(out, tensor.bytes.data(), tensor.bytes.size());
    } else {
      for (int64_t i = 0; i < count; ++i) out[i] = static_cast<float>(half_at(tensor.bytes.data(), i));
    }
    for (int64_t i = 0; i < count; ++i) {
      require(std::abs(out[i]) <= kLargestWeight, kBad, "tensor ", name, " holds ", out[i], " at index ", i,
              ", which no trained model does: the file is damaged");
    }
  }

  std::map<std::string, Tensor> tensors_;
  bool has_int8_ = false;
};

AttentionWeights read_attention(TensorReader& in, const std::string& name, int width) {
  auto query = in.linear(name + ".q_proj", width, width);
  auto key = in.linear(name + ".k_proj", width, width);
  auto value = in.linear(name + ".v_proj", width, width);
  auto output = in.linear(name + ".out_proj", width, width);
  return {std::move(query), std::move(key), std::move(value), std::move(output), in.norm(name + "_layer_norm", width)};
}

SsruWeights read_ssru(TensorReader& in, const std::string& name, int width) {
  auto forget = in.linear(name + ".forget", width, width);
  auto candidate = in.bare_linear(name + ".candidate", width, width);
  return {std::move(forget), std::move(candidate), in.norm(name + "_layer_norm", width)};
}

std::variant<AttentionWeights, SsruWeights> read_history(TensorReader& in, const std::string& layer, const Config& c) {
  if (c.decoder_unit == DecoderUnit::kSsru) return read_ssru(in, layer + ".ssru", c.width);
  return read_attention(in, layer + ".self_attn", c.width);
}

FeedForwardWeights read_feed_forward(TensorReader& in, const std::string& layer, int width, int ffn_width) {
  auto up = in.linear(layer + ".fc1", ffn_width, width);
  auto down = in.linear(layer + ".fc2", width, ffn_width);
  return {std::move(up), std::move(down), in.norm(layer + ".final_layer_norm", width)};
}

}  // namespace

Weights load_weights(const Config& c, std::vector<std::byte> file) {
  TensorReader in(parse_safetensors(file));
  auto embedding =
      in.matrix(c.shared_embedding ? "model.shared.weight" : "model.decoder.embed_tokens.weight", c.vocabulary, c.width);
  Weights weights{{}, file.size(), Linear(std::move(embedding), in.logits_bias(c.vocabulary)), {}, {}, {}, {}};
  if (!c.shared_embedding)
    weights.source_embedding = in.bare_linear("model.encoder.embed_tokens", c.source_vocabulary, c.width);
  for (int i = 0; i < c.encoder_layers; ++i) {
    const std::string layer = "model.encoder.layers." + std::to_string(i);
    auto self_attention = read_attention(in, layer + ".self_attn", c.width);
    weights.encoder.push_back({std::move(self_attention), read_feed_forward(in, layer, c.width, c.encoder_ffn_width)});
  }
  for (int i = 0; i < c.decoder_layers; ++i) {
    const std::string layer = "model.decoder.layers." + std::to_string(i);
    auto history = read_history(in, layer, c);
    auto cross_attention = read_attention(in, layer + ".encoder_attn", c.width);
    weights.decoder.push_back({std::move(history), std::move(cross_attention),
                               read_feed_forward(in, layer, c.width, c.decoder_ffn_width)});
  }
  weights.lexical = in.lexical_table(c.vocabulary);
  in.expect_empty();
  if (in.has_int8()) weights.file = std::move(file);  // else all was copied out
  return weights;
}

}  // namespace dragoman
