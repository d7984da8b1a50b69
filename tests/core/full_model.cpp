#include "full_model.h"

#include <cmath>
#include <cstring>

#include "io/safetensors.h"
#include "support.h"

namespace dragoman::test {
namespace {

std::map<std::string, Real> read_tensors(const std::string& path) {
  std::vector<std::byte> file = read_bytes(path);
  std::map<std::string, Real> tensors;
  for (const auto& [name, tensor] : parse_safetensors(file)) {
    const bool flat = tensor.shape.size() == 1;
    Real values(flat ? 1 : tensor.shape[0], flat ? tensor.shape[0] : tensor.shape[1]);
    const bool whole = tensor.type == TensorType::kF32;
    for (Eigen::Index i = 0; i < values.size(); ++i) {
      uint16_t half;
      float real;
      std::memcpy(whole ? static_cast<void*>(&real) : &half, tensor.bytes.data() + i * (whole ? 4 : 2), whole ? 4 : 2);
      values.data()[i] = whole ? real : static_cast<float>(Eigen::numext::bit_cast<Eigen::half>(half));
    }
    tensors.emplace(name, std::move(values));
  }
  return tensors;
}

using View = Eigen::Ref<const Real, 0, Eigen::OuterStride<>>;

// a b^T: Eigen's product of matrices takes seconds to compile each time that it is written.
Real product(const View& a, const View& b) { return a * b.transpose(); }

}  // namespace

FullModel::FullModel(nlohmann::json config, std::map<std::string, Real> tensors)
    : c_(std::move(config)), tensors_(std::move(tensors)) {}

FullModel::FullModel(const std::string& folder)
    : FullModel(read_json(folder + "/config.json"), read_tensors(folder + "/model.safetensors")) {}

FullModel::Side FullModel::side(const std::string& name) const {
  const bool encodes = name == "encoder";
  const int width = encodes ? option("encoder_d_model", c_["d_model"].get<int>()) : c_["d_model"].get<int>();
  const int heads = c_[name + "_attention_heads"];
  return {name, width, heads, option(name + "_head_dim", width / heads),
          option(name + "_normalize_before", option("normalize_before", false))};
}

int FullModel::layer(const Side& side, int i) const {
  const std::string key = side.name + "_tied_layers";
  return c_.contains(key) ? c_[key][i].get<int>() : i;
}

// -1: a zero vector.
Real FullModel::embed(const Side& side, const std::vector<int>& tokens) const {
  const bool shared = option("share_encoder_decoder_embeddings", true);
  const Real& table = tensor(shared ? "model.shared.weight" : "model." + side.name + ".embed_tokens.weight");
  const std::string positions = option("position_embedding", std::string("sinusoidal"));
  const int d = side.width, first = option("position_offset", 0);
  Real x = Real::Zero(static_cast<Eigen::Index>(tokens.size()), d);
  for (Eigen::Index t = 0; t < x.rows(); ++t) {
    if (tokens[t] >= 0) x.row(t) = table.row(tokens[t]) * (option("scale_embedding", true) ? std::sqrt(d) : 1);
    const auto p = static_cast<double>(first + t);
    if (positions == "learned") {
      x.row(t) += tensor("model." + side.name + ".embed_positions.weight").row(first + t);
    } else if (positions == "sinusoidal-interleaved") {
      for (int k = 0; k < d; ++k)
        x(t, k) += k % 2 == 0 ? std::sin(p / std::pow(1e4, 1.0 * k / d)) : std::cos(p / std::pow(1e4, (k - 1.0) / d));
    } else if (positions != "none") {
      for (int k = 0; k < d; ++k) {
        const double i = k % (d / 2);
        const double power = positions == "sinusoidal" ? i / std::max(1, d / 2 - 1) : 2 * i / d;
        x(t, k) += k < d / 2 ? std::sin(p * std::pow(1e4, -power)) : std::cos(p * std::pow(1e4, -power));
      }
    }
  }
  if (!option("normalize_embedding", false)) return x;
  return norm("model." + side.name + ".layernorm_embedding", x);
}

Real FullModel::finish(const Side& side, const Real& x) const {
  return option(side.name + "_final_norm", side.norm_first) ? norm("model." + side.name + ".layer_norm", x) : x;
}

Real FullModel::linear(const std::string& name, const Real& x, const char* dot) const {
  return product(x, tensor(name + dot + "weight")).rowwise() + tensor(name + dot + "bias").row(0);
}

Real FullModel::norm(const std::string& name, Real x) const {
  const std::string kind = option("layer_norm", std::string("variance"));
  const double eps = c_["layer_norm_eps"], count = static_cast<double>(x.cols());
  for (Eigen::Index r = 0; r < x.rows(); ++r) {
    x.row(r).array() -= x.row(r).mean();
    const double squares = x.row(r).squaredNorm();
    x.row(r) /= kind == "variance"    ? std::sqrt(squares / count + eps)
                : kind == "deviation" ? std::sqrt(squares / count) + eps
                                      : std::sqrt(squares / (count - 1)) + eps;
    x.row(r) = x.row(r).cwiseProduct(tensor(name + ".weight").row(0)) + tensor(name + ".bias").row(0);
  }
  return x;
}

Real FullModel::activate(const Real& x) const {
  const std::string kind = c_["activation_function"];
  return x.unaryExpr([&](double v) {
    if (kind == "relu") return std::max(v, 0.0);
    if (kind == "gelu") return v * std::erfc(-v / std::sqrt(2)) / 2;
    if (kind == "quick_gelu") return v / (1 + std::exp(-1.702 * v));
    if (kind == "gelu_new") return v * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v))) / 2;
    return v / (1 + std::exp(-v));
  });
}

// Kim et al. 2019, section 3.1.
Real FullModel::ssru(const std::string& name, const Real& x) const {
  const Real forget = linear(name + ".forget", x).unaryExpr([](double v) { return 1 / (1 + std::exp(-v)); });
  const Real input = product(x, tensor(name + ".candidate.weight"));
  Real y(x.rows(), x.cols()), cell = Real::Zero(1, x.cols());
  for (Eigen::Index t = 0; t < x.rows(); ++t) {
    cell = forget.row(t).cwiseProduct(cell) + (1 - forget.row(t).array()).matrix().cwiseProduct(input.row(t));
    y.row(t) = cell.cwiseMax(0);
  }
  return y;
}

Real FullModel::attend(const Side& side, const std::string& name, const Real& x, const Real& memory, bool is_cross,
                       std::vector<Real>* weights) const {
  const std::string kind = option("projections", std::string("separate"));
  const Eigen::Index d = side.head_width, all = side.heads * d;
  Real q, k, v, context(x.rows(), all);
  Eigen::Index stride = d, k_at = 0, v_at = 0;  // of the columns of a head, and where keys and values begin in them
  if (kind == "fused-heads" && is_cross) {
    q = linear(name + ".q_proj", x);
    k = v = linear(name + ".kv_proj", memory);
    stride = 2 * d, v_at = d;
  } else if (kind == "fused-heads") {
    q = k = v = linear(name + ".qkv_proj", x);
    stride = 3 * d, k_at = d, v_at = 2 * d;
  } else if (kind == "fused" && x.cols() == memory.cols()) {
    q = linear(name + ".in_proj", x, "_").leftCols(all);
    k = linear(name + ".in_proj", memory, "_").middleCols(all, all);
    v = linear(name + ".in_proj", memory, "_").rightCols(all);
  } else {
    q = linear(name + ".q_proj", x);
    k = linear(name + ".k_proj", memory);
    v = linear(name + ".v_proj", memory);
  }
  const bool causal = !is_cross && side.name == "decoder";
  for (Eigen::Index h = 0; h < side.heads; ++h) {
    const Eigen::Index q_column = h * (q.cols() == all ? d : stride);
    Real scores = product(q.middleCols(q_column, d), k.middleCols(h * stride + k_at, d)) / std::sqrt(d);
    for (Eigen::Index t = 0; t < scores.rows(); ++t) {
      if (causal) scores.row(t).tail(scores.cols() - t - 1).setConstant(-INFINITY);
      scores.row(t) = (scores.row(t).array() - scores.row(t).maxCoeff()).exp();
      scores.row(t) /= scores.row(t).sum();
    }
    context.middleCols(h * d, d) = product(scores, v.middleCols(h * stride + v_at, d).transpose());
    if (weights) weights->push_back(scores);
  }
  return linear(name + ".out_proj", context);
}

template <class F>
Real FullModel::sublayer(const Side& side, const std::string& norm_name, const Real& x, F f) const {
  if (side.norm_first) return x + f(norm(norm_name, x));
  return norm(norm_name, x + f(x));
}

Real FullModel::feed_forward(const Side& side, const std::string& layer, const Real& x) const {
  return sublayer(side, layer + ".final_layer_norm", x,
                  [&](const Real& y) { return linear(layer + ".fc2", activate(linear(layer + ".fc1", y))); });
}

Real FullModel::encode(const std::vector<int>& source) const {
  const Side side = this->side("encoder");
  Real x = embed(side, source);
  for (int i = 0; i < c_["encoder_layers"].get<int>(); ++i) {
    const std::string name = "model.encoder.layers." + std::to_string(layer(side, i));
    x = sublayer(side, name + ".self_attn_layer_norm", x,
                 [&](const Real& y) { return attend(side, name + ".self_attn", y, y, false, nullptr); });
    x = feed_forward(side, name, x);
  }
  return finish(side, x);
}

Real FullModel::decode(const std::vector<int>& prefix, const Real& memory, std::vector<Real>& cross) const {
  const Side side = this->side("decoder");
  const bool from_token = option("decoder_start", std::string("zero")) == "token";
  std::vector<int> tokens = {from_token ? c_["decoder_start_token_id"].get<int>() : -1};
  tokens.insert(tokens.end(), prefix.begin(), prefix.end());
  Real x = embed(side, tokens);
  for (int i = 0; i < c_["decoder_layers"].get<int>(); ++i) {
    const std::string name = "model.decoder.layers." + std::to_string(layer(side, i));
    if (option("decoder_unit", std::string()) == "ssru")
      x = sublayer(side, name + ".ssru_layer_norm", x, [&](const Real& y) { return ssru(name + ".ssru", y); });
    else
      x = sublayer(side, name + ".self_attn_layer_norm", x,
                   [&](const Real& y) { return attend(side, name + ".self_attn", y, y, false, nullptr); });
    x = sublayer(side, name + ".encoder_attn_layer_norm", x,
                 [&](const Real& y) { return attend(side, name + ".encoder_attn", y, memory, true, &cross); });
    x = feed_forward(side, name, x);
  }
  const bool tied = option("tie_word_embeddings", true), shared = option("share_encoder_decoder_embeddings", true);
  Real logits = product(finish(side, x), tensor(!tied    ? "lm_head.weight"
                                                : shared ? "model.shared.weight"
                                                         : "model.decoder.embed_tokens.weight"));
  if (option("output_bias", true)) logits.rowwise() += tensor("final_logits_bias").row(0);
  return logits;
}

}  // namespace dragoman::test
