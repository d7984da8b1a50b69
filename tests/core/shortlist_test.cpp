// The lexical shortlist: which pieces are on it, that it changes no logits, and files that hold a bad one.
#include "model/shortlist.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <map>

#include "base/error.h"
#include "support.h"

using namespace dragoman;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

constexpr int kVocabulary = 384;  // of the tiny models

// The tiny model's file with tensors of pieces behind its own.
std::vector<std::byte> file_with(const std::map<std::string, std::vector<uint16_t>>& tensors,
                                 const std::string& type = "U16") {
  const auto good = test::read_bytes(test::data("tiny-int8/model.safetensors"));
  uint64_t length;
  std::memcpy(&length, good.data(), 8);
  json header = test::json_of({reinterpret_cast<const char*>(good.data()) + 8, static_cast<size_t>(length)});
  header["__metadata__"].erase("xxh64");
  std::vector<std::byte> data(good.begin() + 8 + static_cast<std::ptrdiff_t>(length), good.end());
  for (const auto& [name, pieces] : tensors) {
    const size_t begin = data.size(), end = begin + 2 * pieces.size();
    header[name] = {
        {"dtype", type}, {"shape", {type == "U16" ? pieces.size() : end - begin}}, {"data_offsets", {begin, end}}};
    for (const uint16_t piece : pieces) {
      data.push_back(static_cast<std::byte>(piece & 0xFF));
      data.push_back(static_cast<std::byte>(piece >> 8));
    }
  }
  const std::string written = test::text_of(header);
  length = written.size();
  std::vector<std::byte> file(8 + length);
  std::memcpy(file.data(), &length, 8);
  std::memcpy(file.data() + 8, written.data(), length);
  file.insert(file.end(), data.begin(), data.end());
  return file;
}

std::string config() { return test::read_text(test::data("tiny-int8/config.json")); }

std::string error_of(std::vector<std::byte> file) {
  try {
    Transformer(config(), std::move(file));
  } catch (const Error& e) {
    CHECK(e.code() == ErrorCode::kBadModel);
    return e.what();
  }
  return "";
}

// Two candidates a piece: its neighbours.
std::vector<uint16_t> neighbours() {
  std::vector<uint16_t> pieces;
  for (int i = 0; i < kVocabulary; ++i) {
    pieces.push_back(static_cast<uint16_t>((i + 1) % kVocabulary));
    pieces.push_back(static_cast<uint16_t>((i + kVocabulary - 1) % kVocabulary));
  }
  return pieces;
}

}  // namespace

TEST_CASE("a sentence's candidates: of its pieces, the frequent ones, its own, eos", "[shortlist]") {
  std::vector<uint32_t> offsets;
  for (uint32_t i = 0; i <= kVocabulary; ++i) offsets.push_back(2 * i);
  const LexicalTable table(offsets, neighbours(), {7, 300, 8}, true);
  const std::vector<int> source = {20, 21, 7, 0};
  CHECK(table.candidates(source) == std::vector<int>{0, 1, 6, 7, 8, 19, 20, 21, 22, 300, 383});
  const LexicalTable other_pieces(offsets, neighbours(), {0, 300}, false);
  CHECK(other_pieces.candidates(source) == std::vector<int>{0, 1, 6, 8, 19, 20, 21, 22, 300, 383});
}

TEST_CASE("a shortlist's logits are those of the whole vocabulary", "[shortlist]") {
  const Transformer model(config(), file_with({{"shortlist.candidates", neighbours()}, {"shortlist.frequent", {5}}}));
  REQUIRE(model.has_shortlist());
  CHECK_FALSE(test::load_transformer(test::data("tiny-int8")).has_shortlist());
  const std::vector<int> source = {5, 9, 77, 130, 0};
  const Shortlist shortlist = model.shortlist(source);
  Workspace work(model.config(), 16, 3);
  const KvCache cross = test::cross_cache(model, source, work);
  DecoderState self[3] = {{model.config(), 8}, {model.config(), 8}, {model.config(), 8}};
  for (int t = 0; t < 8; ++t) {
    const int token = t ? 9 + t : kStart;
    // Rows with and without one may stand side by side.
    const DecoderRow rows[3] = {
        {token, &cross, &self[0], &shortlist}, {token, &cross, &self[1]}, {token, &cross, &self[2], &shortlist}};
    model.step(rows, work);
    for (size_t i = 0; i < shortlist.tokens.size(); ++i) {
      REQUIRE(work.logits(0, i) == work.logits(1, shortlist.tokens[i]));
      REQUIRE(work.logits(2, i) == work.logits(0, i));
    }
  }
}

TEST_CASE("a shortlist of float weights", "[shortlist]") {
  Matrix values(5, 3);
  for (int i = 0; i < 15; ++i) values(i / 3, i % 3) = static_cast<float>(i);
  Vector bias(5);
  bias << 10, 20, 30, 40, 50;
  const Linear chosen = Linear(FloatMatrix{values}, bias).select(std::vector<int>{1, 4});
  QuantizedScratch scratch(1, 3);
  const float x[3] = {1, 0, -1};
  LinearInput input(x, 1, 3, scratch);
  float y[2];
  chosen.apply(input, y);
  CHECK(y[0] == 18);
  CHECK(y[1] == 48);
}

TEST_CASE("a shortlist of everything changes nothing, and one can be switched off", "[shortlist]") {
  std::vector<uint16_t> all(kVocabulary);
  for (int i = 0; i < kVocabulary; ++i) all[i] = static_cast<uint16_t>(i);
  const std::string text = "The garden is large. Where is the garden, and where is the house?\nA dog.";
  const auto translate = [&](std::vector<std::byte> file, bool shortlist) {
    Engine engine({config(), std::move(file), test::read_text(test::data("tiny-int8/vocab.spm"))},
                  {.shortlist = shortlist});
    return test::finish(engine, *engine.start(text));
  };
  const std::string whole = translate(test::read_bytes(test::data("tiny-int8/model.safetensors")), true);
  CHECK(translate(file_with({{"shortlist.candidates", neighbours()}, {"shortlist.frequent", all}}), true) == whole);
  const auto narrow = file_with({{"shortlist.candidates", neighbours()}, {"shortlist.frequent", {5}}});
  CHECK(translate(narrow, true) != whole);
  CHECK(translate(narrow, false) == whole);
}

TEST_CASE("bad shortlists are named", "[shortlist]") {
  CHECK(error_of(file_with({{"shortlist.candidates", neighbours()}, {"shortlist.frequent", {}}})).empty());
  CHECK_THAT(error_of(file_with({{"shortlist.candidates", neighbours()}})),
             Contains("lacks the tensor shortlist.frequent"));
  CHECK_THAT(error_of(file_with({{"shortlist.candidates", neighbours()}, {"shortlist.frequent", {384}}})),
             Contains("piece 384 of 384"));
  CHECK_THAT(error_of(file_with({{"shortlist.candidates", {1, 2, 3}}, {"shortlist.frequent", {1}}})),
             Contains("shortlist.candidates has 3"));
  CHECK_THAT(error_of(file_with({{"shortlist.candidates", neighbours()}, {"shortlist.frequent", {1}}}, "I8")),
             Contains("must be U16"));
  CHECK_THAT(error_of(file_with({{"shortlist.frequent", {1}}})), Contains("more than its configuration describes"));
}
