// Damaged, truncated and hostile weight files: every one is an Error with a code, none is undefined behaviour.
#include <catch2/catch.hpp>

#include "base/error.h"
#include "io/safetensors.h"
#include "support.h"

using namespace dragoman;
using nlohmann::json;

namespace {

using Bytes = std::vector<std::byte>;

Bytes good_file() { return test::read_bytes(test::data("tiny-int8/model.safetensors")); }
std::string good_config() { return test::read_text(test::data("tiny-int8/config.json")); }

size_t header_bytes(const Bytes& file) {
  size_t n = 0;
  for (int i = 7; i >= 0; --i) n = n << 8 | std::to_integer<size_t>(file[i]);
  return n;
}

Bytes file_of(const std::string& header, size_t data_bytes, uint64_t claimed_header) {
  Bytes file;
  for (int i = 0; i < 8; ++i) file.push_back(static_cast<std::byte>(claimed_header >> (8 * i)));
  for (char c : header) file.push_back(static_cast<std::byte>(c));
  file.resize(file.size() + data_bytes);
  return file;
}

Bytes file_of(const std::string& header, size_t data_bytes) { return file_of(header, data_bytes, header.size()); }

// The good file with `from` in its header replaced by `to` (of any length).
Bytes with_header(const std::string& from, const std::string& to) {
  const Bytes good = good_file();
  const size_t n = header_bytes(good);
  std::string header(reinterpret_cast<const char*>(good.data()) + 8, n);
  const size_t at = header.find(from);
  REQUIRE(at != std::string::npos);
  header.replace(at, from.size(), to);
  Bytes file = file_of(header, 0);
  file.insert(file.end(), good.begin() + 8 + static_cast<std::ptrdiff_t>(n), good.end());
  return file;
}

std::string error_of(Bytes file, const std::string& config = good_config()) {
  try {
    Transformer(config, std::move(file));
  } catch (const Error& e) {
    CHECK(e.code() == ErrorCode::kBadModel);
    return e.what();
  }
  return "";
}

using Catch::Matchers::Contains;

}  // namespace

TEST_CASE("the undamaged file loads", "[weights]") { CHECK(error_of(good_file()).empty()); }

TEST_CASE("truncated files", "[weights]") {
  const Bytes good = good_file();
  for (size_t length : {size_t{0}, size_t{1}, size_t{7}, size_t{8}, size_t{9}, header_bytes(good),
                        header_bytes(good) + 8, good.size() / 2, good.size() - 1}) {
    INFO("first " << length << " bytes");
    CHECK(!error_of(Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length))).empty());
  }
  CHECK_THAT(error_of(Bytes(good.begin(), good.end() - 1)), Contains("cut off"));
}

TEST_CASE("every flipped bit of the data, and flipped bits of the header, are noticed", "[weights]") {
  const Bytes good = good_file();
  test::Random random(12);
  const int header = static_cast<int>(header_bytes(good)) + 8, size = static_cast<int>(good.size());
  for (int run = 0; run < 200; ++run) {
    Bytes file = good;
    const int at = random.integer(header, size - 1);
    file[at] ^= static_cast<std::byte>(1 << random.integer(0, 7));
    INFO("byte " << at);
    REQUIRE_THAT(error_of(file), Contains("damaged"));
  }
  for (int run = 0; run < 400;
       ++run) {  // must not crash; a flip in the blanks or in "format" changes nothing that is read
    Bytes file = good;
    file[random.integer(0, header - 1)] ^= static_cast<std::byte>(1 << random.integer(0, 7));
    error_of(file);
  }
}

TEST_CASE("headers that claim too much", "[weights]") {
  CHECK_THAT(error_of(file_of("{}", 0, ~uint64_t{0})), Contains("claims a header"));
  CHECK_THAT(error_of(file_of("{}", 0, 1 << 20)), Contains("cut off"));
  CHECK_THAT(error_of(file_of("[]", 0)), Contains("not a JSON object"));
  CHECK_THAT(error_of(file_of("{\"a\":", 0)), Contains("not a JSON object"));
  CHECK_THAT(error_of(file_of(std::string(100000, '['), 0)), Contains("not a JSON object"));
  const auto tensor = [](const std::string& type, const std::string& shape, const std::string& offsets) {
    return R"({"a":{"dtype":")" + type + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
  };
  CHECK_THAT(error_of(file_of(tensor("F32", "[4]", "[0,16]"), 8)), Contains("claims to be larger"));
  CHECK_THAT(error_of(file_of(tensor("F32", "[4294967296,4294967296]", "[0,16]"), 16)), Contains("larger"));
  CHECK_THAT(error_of(file_of(tensor("F32", "[18446744073709551615]", "[0,16]"), 16)), Contains("larger"));
  CHECK_THAT(error_of(file_of(tensor("F32", "[-4]", "[0,16]"), 16)), Contains("whole number"));
  CHECK_THAT(error_of(file_of(tensor("F32", "[2]", "[0,16]"), 16)), Contains("do not fit"));
  CHECK_THAT(error_of(file_of(tensor("F32", "[4]", "[16,0]"), 16)), Contains("do not fit"));
  CHECK_THAT(error_of(file_of(tensor("F32", "[4]", "[8,24]"), 16)), Contains("cut off"));
  CHECK_THAT(error_of(file_of(tensor("F64", "[2]", "[0,16]"), 16)), Contains("F64"));
  CHECK_THAT(error_of(file_of(tensor("F32", "[2]", "[0,8]"), 16)), Contains("no tensor"));
  CHECK_THAT(error_of(file_of(tensor("F32", "\"4\"", "[0,16]"), 16)), Contains("shape"));
  CHECK_THAT(error_of(file_of(tensor("F32", "[4]", "7"), 16)), Contains("data_offsets"));
  CHECK_THAT(error_of(file_of(tensor("F32", "[2]", "[8,16]"), 16)), Contains("overlap or leave holes"));
}

TEST_CASE("missing, extra and mis-shaped tensors are named", "[weights]") {
  const std::string name = "model.decoder.layers.1.fc1.bias";
  CHECK_THAT(error_of(with_header(name, "model.decoder.layers.1.fc1.bios")), Contains("lacks the tensor " + name));
  CHECK_THAT(error_of(with_header("\"dtype\":\"I8\",\"shape\":[384,32]", "\"dtype\":\"I8\",\"shape\":[32,384]")),
             Contains("model.shared.weight has shape [32, 384]") && Contains("[384, 32]"));
  const std::string shorter = R"("decoder_layers": 1)";
  std::string config = good_config();
  config.replace(config.find(R"("decoder_layers": 2)"), shorter.size(), shorter);
  CHECK_THAT(error_of(good_file(), config), Contains("more than its configuration describes"));
}

TEST_CASE("numbers that no trained model holds", "[weights]") {
  Bytes file = test::read_bytes(test::data("tiny-f16/model.safetensors"));
  const std::string config = test::read_text(test::data("tiny-f16/config.json"));
  // Without its hash the file is like one from elsewhere; then a NaN is caught where it is read.
  std::string header(reinterpret_cast<const char*>(file.data()) + 8, header_bytes(file));
  const size_t hash = header.find("xxh64");
  REQUIRE(hash != std::string::npos);
  file[8 + hash] = std::byte{'y'};
  CHECK(error_of(file, config).empty());
  for (size_t i = file.size() - 2; i < file.size(); ++i) file[i] = std::byte{0x7E};  // an F16 NaN
  CHECK_THAT(error_of(file, config), Contains("no trained model"));
}

TEST_CASE("a variant whose tensors the file has not is refused by name and shape", "[weights]") {
  const Bytes file = test::read_bytes(test::data("tiny-before/model.safetensors"));
  const json config = test::read_json(test::data("tiny-before/config.json"));
  CHECK(error_of(file, test::text_of(config)).empty());
  const auto with = [&](const char* key, const json& value) {
    json changed = config;
    changed[key] = value;
    return error_of(file, test::text_of(changed));
  };
  CHECK_THAT(with("projections", "separate"),
             Contains("lacks the tensor model.encoder.layers.0.self_attn.q_proj.weight"));
  CHECK_THAT(with("projections", "fused-heads"),
             Contains("lacks the tensor model.encoder.layers.0.self_attn.qkv_proj"));
  CHECK_THAT(
      with("encoder_head_dim", 8),
      Contains("model.encoder.layers.0.self_attn.in_proj_weight has shape [54, 28]") && Contains("asks for [48, 28]"));
  CHECK_THAT(with("encoder_d_model", 24), Contains("model.encoder.embed_tokens.weight has shape [320, 28]"));
  CHECK_THAT(with("position_offset", 1),
             Contains("model.encoder.embed_positions.weight has shape [62, 28]") && Contains("asks for [61, 28]"));
  CHECK_THAT(with("max_target_positions", 59), Contains("model.decoder.embed_positions.weight has shape [62, 24]"));
  CHECK_THAT(with("position_embedding", "none"), Contains("4 tensors more") || Contains("2 tensors more"));
  CHECK_THAT(with("encoder_final_norm", false), Contains("more than its configuration describes"));
  CHECK_THAT(with("normalize_embedding", false), Contains("more than its configuration describes"));
  CHECK_THAT(with("tie_word_embeddings", true), Contains("first 'lm_head.weight'"));
  CHECK_THAT(with("output_bias", false), Contains("first 'final_logits_bias'"));
  CHECK_THAT(with("decoder_unit", "ssru"), Contains("lacks the tensor model.decoder.layers.0.ssru.forget.weight"));
  CHECK_THAT(with("decoder_tied_layers", {0, 0}), Contains("first 'model.decoder.layers.1."));
}

TEST_CASE("config.json is read strictly", "[weights]") {
  const auto code_of = [](const std::string& config) {
    try {
      parse_config(config);
    } catch (const Error& e) {
      return std::string(code_name(e.code())) + ": " + e.what();
    }
    return std::string();
  };
  CHECK(code_of(good_config()).empty());
  CHECK_THAT(code_of(""), Contains("bad-config"));
  CHECK_THAT(code_of("[1]"), Contains("not a JSON object"));
  const auto replaced = [](const std::string& from, const std::string& to) {
    std::string config = good_config();
    const size_t at = config.find(from);
    REQUIRE(at != std::string::npos);
    return config.replace(at, from.size(), to);
  };
  CHECK_THAT(code_of(replaced("\"d_model\": 32", "\"d_model\": 0")), Contains("d_model is 0"));
  CHECK_THAT(code_of(replaced("\"d_model\": 32", "\"d_model\": 99999999999")), Contains("d_model"));
  CHECK_THAT(code_of(replaced("\"d_model\": 32", "\"d_model\": \"32\"")), Contains("lacks the whole number 'd_model'"));
  CHECK_THAT(code_of(replaced("\"d_model\": 32", "\"d_model\": 34")), Contains("do not divide"));
  CHECK_THAT(code_of(replaced("\"relu\"", "\"swish\"")),
             Contains("activation_function must be one of \"relu\", \"gelu\", \"gelu_new\", \"quick_gelu\", \"silu\", "
                      "not \"swish\""));
  CHECK_THAT(code_of(replaced("\"marian\"", "\"\\ud800\"")), Contains("bad-config"));
  CHECK_THAT(code_of(replaced("\"relu\"", std::string(200000, '[') + std::string(200000, ']'))), Contains("not array"));
  CHECK_THAT(code_of(replaced("\"eos_token_id\": 0", "\"eos_token_id\": 384")), Contains("eos_token_id"));
  const std::string before_end = "\"eos_token_id\": 0";
  const auto added = [&](const std::string& fields) {
    return code_of(replaced(before_end, before_end + ", " + fields));
  };
  CHECK_THAT(added(R"("normalize_embedding": "yes")"), Contains("normalize_embedding must be true or false"));
  CHECK_THAT(added(R"("layer_norm": "rms")"), Contains("layer_norm must be one of") && Contains("not \"rms\""));
  CHECK_THAT(added(R"("projections": [1])"), Contains("not array"));
  CHECK_THAT(added(R"("encoder_d_model": 16)"), Contains("share one embedding"));
  CHECK_THAT(added(R"("encoder_head_dim": 0)"), Contains("encoder_head_dim is 0"));
  CHECK_THAT(added(R"("encoder_tied_layers": [0])"), Contains("no list of 2 layers"));
  CHECK_THAT(added(R"("encoder_tied_layers": [0, 2])"), Contains("names no layer below 2 for layer 1"));
  CHECK_THAT(added(R"("encoder_tied_layers": [1, 0])"), Contains("lend parameters it does not own"));
  CHECK_THAT(code_of(replaced(R"("decoder_start": "zero")", R"("decoder_start": "token")")),
             Contains("lacks the whole number 'decoder_start_token_id'"));
  CHECK_THAT(added(R"("forced_bos_token_id": 384)"), Contains("forced_bos_token_id is 384"));
  CHECK_THAT(added(R"("max_source_positions": 0)"), Contains("max_source_positions is 0"));
}
