// Models of random variants and sizes with random weights: each loads, its decoder gives step by step what FullModel
// gives all at once, and its int8 twin runs to the end.
//   build/native/core_tests '[random]'      300 of them
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <iostream>

#include "base/error.h"
#include "full_model.h"
#include "support.h"

using namespace dragoman;
using nlohmann::json;
using test::Real;

namespace {

class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}

  // Every variant of src/model/README.md may come up, and any size.
  json config() {
    json c = {{"model_type", "marian"}, {"source_language", "en"}, {"target_language", "de"}, {"eos_token_id", 0}};
    const auto flip = [&] { return random_.integer(0, 1) == 1; };
    const auto maybe = [&](const char* key, const json& value) {
      if (flip()) c[key] = value;
    };
    c["activation_function"] = pick({"relu", "gelu", "gelu_new", "quick_gelu", "silu"});
    c["layer_norm"] = pick({"variance", "deviation", "unbiased-deviation"});
    c["layer_norm_eps"] = pick({1e-6, 1e-5, 1e-3});
    c["position_embedding"] = pick({"sinusoidal", "sinusoidal-halves", "sinusoidal-interleaved", "learned", "none"});
    c["projections"] = pick({"separate", "fused", "fused-heads"});
    c["decoder_unit"] = pick({"self-attention", "self-attention", "ssru"});
    maybe("wide_activations", true);
    maybe("position_offset", random_.integer(0, 3));
    for (const char* key :
         {"normalize_before", "encoder_normalize_before", "decoder_normalize_before", "encoder_final_norm",
          "decoder_final_norm", "normalize_embedding", "scale_embedding", "tie_word_embeddings", "output_bias"})
      maybe(key, flip());
    c["max_position_embeddings"] = random_.integer(24, 40);
    maybe("max_target_positions", random_.integer(12, 30));
    const bool sinusoids = c["position_embedding"].get<std::string>().starts_with("sin");
    const auto width = [&] { return sinusoids ? 2 * random_.integer(3, 20) : random_.integer(5, 40); };
    c["d_model"] = width();
    c["share_encoder_decoder_embeddings"] = flip();
    c["vocab_size"] = random_.integer(8, 60);
    if (!c["share_encoder_decoder_embeddings"]) {
      maybe("encoder_d_model", width());
      maybe("decoder_vocab_size", random_.integer(8, 60));
    }
    for (const std::string side : {"encoder", "decoder"}) {
      const int all = side == "encoder" ? c.value("encoder_d_model", c["d_model"].get<int>()) : c["d_model"].get<int>();
      const int heads = random_.integer(1, 5), layers = random_.integer(1, 3);
      c[side + "_attention_heads"] = heads;
      if (all % heads != 0 || flip()) c[side + "_head_dim"] = random_.integer(2, 9);
      c[side + "_ffn_dim"] = random_.integer(1, 50);
      c[side + "_layers"] = layers;
      if (random_.integer(0, 3) == 0)
        c[side + "_tied_layers"] = std::vector<int>(layers, random_.integer(0, layers - 1));
    }
    const int vocabulary = c.value("decoder_vocab_size", c["vocab_size"].get<int>());
    if (flip()) c["decoder_start"] = "token", c["decoder_start_token_id"] = random_.integer(0, vocabulary - 1);
    return c;
  }

  // All that the configuration asks for, by README.md and not by what the loader reads.
  std::map<std::string, Real> tensors(const json& c) {
    std::map<std::string, Real> all;
    const auto add = [&](const std::string& name, int rows, int columns, double least, double most) {
      Real values(rows, columns);
      for (double& v : values.reshaped()) v = random_.real(static_cast<float>(least), static_cast<float>(most));
      all.emplace(name, std::move(values));
    };
    const auto matrix = [&](const std::string& name, int rows, int columns, double gain = 1.7) {
      add(name, rows, columns, -gain / std::sqrt(columns), gain / std::sqrt(columns));
    };
    const auto linear = [&](const std::string& name, int rows, int columns, const char* dot = ".") {
      matrix(name + dot + "weight", rows, columns);
      add(name + dot + "bias", 1, rows, -0.3, 0.3);
    };
    const auto norm = [&](const std::string& name, int width) {
      add(name + ".weight", 1, width, 0.5, 1.5);
      add(name + ".bias", 1, width, -0.3, 0.3);
    };
    const int width = c["d_model"], memory = c.value("encoder_d_model", width);
    const int vocabulary = c.value("decoder_vocab_size", c["vocab_size"].get<int>());
    const std::string projections = c["projections"];
    const auto attention = [&](const std::string& name, int heads, int head_width, int in, int memory_width,
                               bool cross) {
      const int a = heads * head_width;
      if (projections == "fused-heads") {
        linear(name + (cross ? ".q_proj" : ".qkv_proj"), cross ? a : 3 * a, in);
        if (cross) linear(name + ".kv_proj", 2 * a, memory_width);
      } else if (projections == "fused" && in == memory_width) {
        linear(name + ".in_proj", 3 * a, in, "_");
      } else {
        linear(name + ".q_proj", a, in);
        linear(name + ".k_proj", a, memory_width);
        linear(name + ".v_proj", a, memory_width);
      }
      linear(name + ".out_proj", in, a);
      norm(name + "_layer_norm", in);
    };
    if (c["share_encoder_decoder_embeddings"]) {
      matrix("model.shared.weight", vocabulary, width);
    } else {
      matrix("model.encoder.embed_tokens.weight", c["vocab_size"], memory);
      matrix("model.decoder.embed_tokens.weight", vocabulary, width);
    }
    if (!c.value("tie_word_embeddings", true)) matrix("lm_head.weight", vocabulary, width, 3);
    if (c.value("output_bias", true)) add("final_logits_bias", 1, vocabulary, -1, 1);
    for (const std::string side : {"encoder", "decoder"}) {
      const bool decodes = side == "decoder";
      const int in = decodes ? width : memory, heads = c[side + "_attention_heads"];
      const int head_width = c.value(side + "_head_dim", in / heads), ffn = c[side + "_ffn_dim"];
      if (c["position_embedding"] == "learned") {
        const int most =
            c.value(decodes ? "max_target_positions" : "max_source_positions", c["max_position_embeddings"].get<int>());
        add("model." + side + ".embed_positions.weight", most + c.value("position_offset", 0), in, -0.5, 0.5);
      }
      if (c.value("normalize_embedding", false)) norm("model." + side + ".layernorm_embedding", in);
      const bool first = c.value(side + "_normalize_before", c.value("normalize_before", false));
      if (c.value(side + "_final_norm", first)) norm("model." + side + ".layer_norm", in);
      for (int i = 0; i < c[side + "_layers"]; ++i) {
        if (c.contains(side + "_tied_layers") && c[side + "_tied_layers"][i] != i) continue;
        const std::string layer = "model." + side + ".layers." + std::to_string(i);
        if (decodes && c["decoder_unit"] == "ssru") {
          linear(layer + ".ssru.forget", in, in);
          matrix(layer + ".ssru.candidate.weight", in, in);
          norm(layer + ".ssru_layer_norm", in);
        } else {
          attention(layer + ".self_attn", heads, head_width, in, in, false);
        }
        if (decodes) attention(layer + ".encoder_attn", heads, head_width, in, memory, true);
        linear(layer + ".fc1", ffn, in);
        linear(layer + ".fc2", in, ffn);
        norm(layer + ".final_layer_norm", in);
      }
    }
    return all;
  }

  std::vector<int> sentence(int most, int vocabulary, bool ends) {
    std::vector<int> tokens;
    for (int i = random_.integer(1, most) - (ends ? 1 : 0); i > 0; --i)
      tokens.push_back(random_.integer(1, vocabulary - 1));
    if (ends) tokens.push_back(0);
    return tokens;
  }

 private:
  json pick(const std::vector<json>& values) { return values[random_.integer(0, static_cast<int>(values.size()) - 1)]; }

  test::Random random_;
};

bool has_two_dimensions(const std::string& name) { return name.ends_with("weight") && name.find("norm") == name.npos; }

bool is_matrix(const std::string& name) {
  return has_two_dimensions(name) && !name.ends_with("embed_positions.weight");
}

// model.safetensors with F32 or, as int8 folders have them, int8 matrices.
std::vector<std::byte> file_of(const std::map<std::string, Real>& tensors, bool int8) {
  json header;
  std::string data;
  const auto add = [&](const std::string& name, const char* type, const json& shape, const std::string& bytes) {
    header[name] = {{"dtype", type}, {"shape", shape}, {"data_offsets", {data.size(), data.size() + bytes.size()}}};
    data += bytes;
  };
  const auto floats = [](const std::vector<float>& values) {
    return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  };
  for (const auto& [name, values] : tensors) {  // all F32 first: no hole is needed in front of them
    const json shape = has_two_dimensions(name) ? json{values.rows(), values.cols()} : json::array({values.cols()});
    if (!int8 || !is_matrix(name))
      add(name, "F32", shape,
          floats({values.reshaped<Eigen::RowMajor>().begin(), values.reshaped<Eigen::RowMajor>().end()}));
    if (!int8 || !is_matrix(name)) continue;
    std::vector<float> scales;
    for (const auto& row : values.rowwise())
      scales.push_back(static_cast<float>(row.cwiseAbs().maxCoeff()) / 127 + 1e-9f);
    add(name + "_scale", "F32", json::array({values.rows()}), floats(scales));
  }
  for (const auto& [name, values] : tensors) {
    if (!int8 || !is_matrix(name)) continue;
    std::string bytes;
    for (const auto& row : values.rowwise())
      for (const double v : row) bytes += static_cast<char>(std::lround(v / row.cwiseAbs().maxCoeff() * 127));
    add(name, "I8", {values.rows(), values.cols()}, bytes);
  }
  const std::string text = test::text_of(header);
  std::string file(8, '\0');
  const uint64_t length = text.size();
  std::memcpy(file.data(), &length, 8);
  file += text + data;
  const auto* bytes = reinterpret_cast<const std::byte*>(file.data());
  return {bytes, bytes + file.size()};
}

// How far the float core's steps are from the definition, in logits, or in attention.
double check_float(const json& config, const std::map<std::string, Real>& tensors, Maker& maker) {
  const test::FullModel full(config, tensors);
  const Transformer model(test::text_of(config), file_of(tensors, false));
  const Config& c = model.config();
  Workspace work(c, 64, 2);
  const auto source = maker.sentence(source_limit(c), c.source_vocabulary, true);
  const auto prefix = maker.sentence(c.target_positions - 1, c.vocabulary, false);
  const Real memory = full.encode(source);
  std::vector<Real> cross;
  const Real expected = full.decode(prefix, memory, cross);
  const KvCache cache = test::cross_cache(model, source, work);
  DecoderState state(c, static_cast<int>(prefix.size()) + 1);
  Matrix attention(c.decoder_layers * c.decoder_heads, memory.rows());
  double worst = 0;
  for (Eigen::Index t = 0; t < expected.rows(); ++t) {
    const DecoderRow row{t == 0 ? kStart : prefix[t - 1], &cache, &state, nullptr, attention.data()};
    model.step({&row, 1}, work);
    worst = std::max(worst, (work.logits.row(0).cast<double>() - expected.row(t)).cwiseAbs().maxCoeff());
    for (size_t i = 0; i < cross.size(); ++i)
      worst = std::max(
          worst, (attention.row(static_cast<Eigen::Index>(i)).cast<double>() - cross[i].row(t)).cwiseAbs().maxCoeff());
  }
  return worst;
}

void check_int8(const json& config, const std::map<std::string, Real>& tensors, Maker& maker) {
  const Transformer model(test::text_of(config), file_of(tensors, true));
  Workspace work(model.config(), 64, 3);
  const auto source = maker.sentence(source_limit(model.config()), model.config().source_vocabulary, true);
  const Beam beam = test::search(model, source, 3, work, [](const auto& logits, const Matrix& attention) {
    REQUIRE(logits.allFinite());
    REQUIRE(attention.allFinite());
  });
  CHECK(beam.finished());
}

void check_models(int count) {
  double worst = 0;
  for (int seed = 0; seed < count; ++seed) {
    Maker maker(seed);
    const json config = maker.config();
    INFO("seed " << seed << ": " << test::text_of(config));
    const auto tensors = maker.tensors(config);
    double error = 0;
    REQUIRE_NOTHROW(error = check_float(config, tensors, maker));
    CHECK(error < 1e-4);
    worst = std::max(worst, error);
    REQUIRE_NOTHROW(check_int8(config, tensors, maker));
  }
  std::cout << count << " random models: at most " << worst << " from the definition\n";
}

}  // namespace

TEST_CASE("models of random variants: steps equal all at once, int8 runs to the end", "[model]") { check_models(40); }

TEST_CASE("300 models of random variants", "[.][random]") { check_models(300); }
