// Marian's binary format: the same numbers as from safetensors, and damaged and hostile files, each a typed error.
#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <tuple>

#include "base/error.h"
#include "io/marian_binary.h"
#include "model/marian_config.h"
#include "support.h"

using namespace dragoman;
using Catch::Matchers::Contains;

namespace {

using Bytes = std::vector<std::byte>;

constexpr const char* kLanguages = R"({"source_language": "en", "target_language": "de"})";
constexpr uint64_t kF32 = 0x0404, kInt8 = 0x4101;

struct Item {
  std::string name;
  uint64_t type;
  std::vector<int32_t> shape;
  Bytes data;
};

template <class Number>
Number number_at(const Bytes& bytes, size_t at) {
  Number value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <class Number>
void append(Bytes& bytes, Number value) {
  const auto* raw = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), raw, raw + sizeof value);
}

Bytes good_file() { return test::read_bytes(test::data("tiny-marian/model.ende.intgemm.alphas.bin")); }
Bytes good_shortlist() { return test::read_bytes(test::data("tiny-marian/lex.ende.s2t.bin")); }

// The file taken apart, trusting it.
std::vector<Item> items_of(const Bytes& file) {
  std::vector<Item> items(number_at<uint64_t>(file, 8));
  size_t at = 16 + 32 * items.size();
  for (size_t i = 0; i < items.size(); ++i) {
    const auto length = number_at<uint64_t>(file, 16 + 32 * i);
    items[i].name.assign(reinterpret_cast<const char*>(file.data()) + at, length - 1);
    items[i].type = number_at<uint64_t>(file, 16 + 32 * i + 8);
    at += length;
  }
  for (size_t i = 0; i < items.size(); ++i)
    for (uint64_t d = number_at<uint64_t>(file, 16 + 32 * i + 16); d > 0; --d, at += 4)
      items[i].shape.push_back(number_at<int32_t>(file, at));
  at += 8 + number_at<uint64_t>(file, at);
  for (size_t i = 0; i < items.size(); ++i) {
    const auto bytes = static_cast<std::ptrdiff_t>(number_at<uint64_t>(file, 16 + 32 * i + 24));
    items[i].data.assign(file.begin() + static_cast<std::ptrdiff_t>(at),
                         file.begin() + static_cast<std::ptrdiff_t>(at) + bytes);
    at += static_cast<size_t>(bytes);
  }
  return items;
}

Bytes file_of(const std::vector<Item>& items) {
  Bytes file;
  append(file, uint64_t{1});
  append(file, uint64_t{items.size()});
  for (const Item& item : items)
    for (const uint64_t field :
         {uint64_t{item.name.size() + 1}, item.type, uint64_t{item.shape.size()}, uint64_t{item.data.size()}})
      append(file, field);
  for (const Item& item : items)
    for (size_t i = 0; i <= item.name.size(); ++i) file.push_back(static_cast<std::byte>(item.name.c_str()[i]));
  for (const Item& item : items)
    for (const int32_t size : item.shape) append(file, size);
  append(file, uint64_t{0});
  for (const Item& item : items) file.insert(file.end(), item.data.begin(), item.data.end());
  return file;
}

Item& item_of(std::vector<Item>& items, const std::string& name) {
  const auto it = std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.name == name; });
  REQUIRE(it != items.end());
  return *it;
}

// The good file with one of its tensors changed.
Bytes with(const std::string& name, const std::function<void(Item&)>& change) {
  auto items = items_of(good_file());
  change(item_of(items, name));
  return file_of(items);
}

// The good file with `from` in its configuration replaced by `to`.
Bytes with_option(const std::string& from, const std::string& to) {
  return with("special:model.yml", [&](Item& item) {
    std::string yml(reinterpret_cast<const char*>(item.data.data()), item.data.size());
    const size_t at = yml.find(from);
    REQUIRE(at != std::string::npos);
    yml.replace(at, from.size(), to);
    item.data.assign(reinterpret_cast<const std::byte*>(yml.data()),
                     reinterpret_cast<const std::byte*>(yml.data()) + yml.size());
    item.shape = {static_cast<int32_t>(yml.size())};
  });
}

std::string error_of(Bytes file, Bytes shortlist = {}) {
  try {
    Transformer(kLanguages, std::move(file), shortlist);
  } catch (const Error& e) {
    return std::string(code_name(e.code())) + ": " + e.what();
  }
  return "";
}

// int8 [out, in] -> F32 [in, out], as the file is before Marian quantises it.
void to_floats(Item& item) {
  const int64_t rows = item.shape[0], columns = item.shape[1];
  const bool is_table = item.name.ends_with("Wemb");
  const auto multiplier = number_at<float>(item.data, static_cast<size_t>(rows * columns));
  Bytes floats;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      append(floats, static_cast<float>(static_cast<int8_t>(item.data[is_table ? r * columns + c : c * rows + r])) /
                         multiplier);
  item.type = kF32;
  item.data = std::move(floats);
}

ModelFiles marian_files() {
  return {kLanguages, good_file(), test::read_text(test::data("tiny-ssru/source.spm")),
          test::read_text(test::data("tiny-ssru/target.spm")), good_shortlist()};
}

}  // namespace

TEST_CASE("a file of Marian's whose matrices are floats gives the logits of its int8 twin", "[marian]") {
  auto items = items_of(good_file());
  for (Item& item : items)
    if (item.type == kInt8) to_floats(item);
  const Transformer real(kLanguages, file_of(items)), int8(kLanguages, good_file());
  Workspace real_work(real.config(), 16, 1), int8_work(int8.config(), 16, 1);
  const std::vector<int> source = {5, 9, 77, 0};
  std::vector<float> expected;
  test::greedy(int8, source, int8_work, [&](const auto& logits, const auto&) { expected.push_back(logits[3]); });
  size_t step = 0;
  test::greedy(real, source, real_work, [&](const auto& logits, const auto&) {
    if (step < std::min<size_t>(3, expected.size())) CHECK(logits[3] == Approx(expected[step]).margin(0.3));
    ++step;
  });
}

TEST_CASE("Marian's shortlist: frequent pieces, those of the source's, no copies between two vocabularies",
          "[marian]") {
  const Transformer model(kLanguages, good_file(), good_shortlist());
  const auto file = good_shortlist();
  const MarianShortlist list = parse_marian_shortlist(file);
  const std::vector<int> source = {310, 12, 0};
  std::vector<int> expected;
  for (int i = 0; i < static_cast<int>(list.frequent); ++i) expected.push_back(i);
  for (const int piece : source)
    for (uint64_t i = list.offsets[piece]; i < list.offsets[piece + 1]; ++i)
      expected.push_back(static_cast<int>(list.piece(i)));
  std::sort(expected.begin(), expected.end());
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  const Shortlist shortlist = model.shortlist(source);
  CHECK(shortlist.tokens == expected);
  const size_t rows = expected.size(), row = model.config().width + 3 * sizeof(float);  // scale, sum and bias
  CHECK(shortlist.output.bytes() >= rows * row);
  CHECK(shortlist.output.bytes() <= (rows + 3) * row);
  CHECK(expected.size() > 100);
  CHECK_FALSE(std::binary_search(expected.begin(), expected.end(), 310));
}

TEST_CASE("an engine of Marian's files: with its shortlist, with a beam, on several threads", "[marian]") {
  const std::string text = "The cat. Where is the sea?\nYou can change the language in the settings. No.";
  Engine one(marian_files()), many(marian_files(), {.threads = 3}), whole(marian_files(), {.shortlist = false});
  CHECK(one.config().source_language == "en");
  for (const int beam : {1, 4}) {
    const std::string expected = test::finish(one, *one.start(text, {.beam = beam}));
    CHECK_FALSE(expected.empty());
    CHECK(test::finish(many, *many.start(text, {.beam = beam})) == expected);
    CHECK_FALSE(test::finish(whole, *whole.start(text, {.beam = beam})).empty());
  }
  ModelFiles swapped = marian_files();
  std::swap(swapped.vocabulary, swapped.target_vocabulary);
  CHECK_THROWS_AS(Engine(std::move(swapped)), Error);
}

TEST_CASE("Marian files cut off at any byte, and with flipped bits", "[marian]") {
  const Bytes good = good_file(), list = good_shortlist();
  CHECK(error_of(good, list).empty());
  test::Random random(16);
  for (int run = 0; run < 100; ++run) {
    const int length = run < 40 ? run : random.integer(0, static_cast<int>(good.size()) - 1);
    INFO("first " << length << " bytes");
    CHECK_FALSE(error_of(Bytes(good.begin(), good.begin() + length)).empty());
    const int shorter = run == 0 ? 1 : random.integer(1, static_cast<int>(list.size()) - 1);
    CHECK_FALSE(error_of(good, Bytes(list.begin(), list.begin() + shorter)).empty());
  }
  for (int run = 0; run < 400; ++run) {  // must not crash; most flips in weights are weights
    Bytes file = good;
    file[random.integer(0, run < 300 ? 6000 : static_cast<int>(good.size()) - 1)] ^=
        static_cast<std::byte>(1 << random.integer(0, 7));
    error_of(file);
  }
  for (int run = 0; run < 100; ++run) {  // here a checksum notices all but the last bytes, which it leaves out
    Bytes file = list;
    file[random.integer(0, static_cast<int>(list.size()) - 9)] ^= static_cast<std::byte>(1 << random.integer(0, 7));
    if (std::memcmp(file.data() + 24, list.data() + 24, 8) == 0) CHECK_FALSE(error_of(good, file).empty());
  }
}

TEST_CASE("claims of Marian files that cannot be", "[marian]") {
  const auto claims = [](size_t at, uint64_t value) {
    Bytes file = good_file();
    std::memcpy(file.data() + at, &value, sizeof value);
    return file;
  };
  CHECK_THAT(error_of(claims(8, ~uint64_t{0})),
             Contains("bad-model: model file claims to hold 18446744073709551615 tensors"));
  CHECK_THAT(error_of(claims(16, ~uint64_t{0})), Contains("cut off"));
  CHECK_THAT(error_of(claims(16 + 16, uint64_t{1} << 60)), Contains("dimensions"));
  CHECK_THAT(error_of(claims(16 + 24, ~uint64_t{0})), Contains("cut off"));
  const std::string name = "decoder_l2_rnn_Wf";
  CHECK_THAT(error_of(with(name,
                           [](Item& i) {
                             i.shape = {1 << 30, 1 << 30};
                           })),
             Contains(name + " claims to be larger"));
  CHECK_THAT(error_of(with(name, [](Item& i) { i.shape = {-32, -32}; })), Contains(name + " claims a size of -32"));
  CHECK_THAT(error_of(with(name, [](Item& i) { i.shape = {32, 4, 8}; })), Contains(name + " has 3 dimensions"));
  CHECK_THAT(error_of(with(name,
                           [](Item& i) {
                             i.shape = {64, 16};
                           })),
             Contains("tensor " + name + " has shape [16, 64]") && Contains("asks for [32, 32]"));
  CHECK_THAT(error_of(with(name, [](Item& i) { i.data.resize(1024); })), Contains(name + " has 1024 bytes, too few"));
  CHECK_THAT(error_of(with(name, [](Item& i) { i.type = 0x4102; })), Contains(name + " has Marian's type 16642"));
  CHECK_THAT(error_of(with(name, [](Item& i) { i.name = "decoder_l2_rnn_Wg"; })), Contains("lacks the tensor " + name));
  CHECK_THAT(error_of(with(name + "_QuantMultA", [](Item& i) { i.name = "surplus"; })),
             Contains("more than its configuration describes, first 'surplus'"));
  CHECK_THAT(error_of(with("decoder_l1_rnn_W", [&](Item& i) { i.name = name; })), Contains("holds " + name + " twice"));
  for (const float multiplier : {0.0f, -1.0f, NAN, INFINITY, 1e-30f})
    CHECK_THAT(error_of(with(name, [&](Item& i) { std::memcpy(i.data.data() + 1024, &multiplier, 4); })),
               Contains(name));
  const float infinite = INFINITY;
  CHECK_THAT(error_of(with("decoder_l2_rnn_bf", [&](Item& i) { std::memcpy(i.data.data(), &infinite, 4); })),
             Contains("decoder_l2_rnn_bf holds inf"));
  auto headless = items_of(good_file());
  headless.pop_back();
  CHECK_THAT(error_of(file_of(headless)), Contains("lacks special:model.yml"));
  Bytes longer = good_file();
  longer.push_back({});
  CHECK_THAT(error_of(longer), Contains("1 bytes that belong to no tensor"));
}

TEST_CASE("every option of special:model.yml is honoured or refused by name", "[marian]") {
  const auto items = items_of(good_file());
  const std::string yml(reinterpret_cast<const char*>(items.back().data.data()), items.back().data.size());
  const Config c = parse_marian_config(yml, kLanguages);
  CHECK(c.decoder_unit == DecoderUnit::kSsru);
  CHECK_FALSE(c.shared_embedding);
  CHECK(c.source_vocabulary == 320);
  CHECK(c.vocabulary == 344);
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"transformer-decoder-autoreg: rnn", "transformer-decoder-autoreg: average-attention"},
           {"dec-cell: ssru", "dec-cell: gru"},
           {"transformer-ffn-activation: relu", "transformer-ffn-activation: tanh"},
           {"transformer-preprocess: \"\"", "transformer-preprocess: n"},
           {"transformer-postprocess: dan", "transformer-postprocess: da"},
           {"transformer-postprocess-emb: d", "transformer-postprocess-emb: dan"},
           {"transformer-postprocess-top: \"\"", "transformer-postprocess-top: a"},
           {"transformer-rnn-projection: false", "transformer-rnn-projection: true"},
           {"transformer-train-position-embeddings: false", "transformer-train-position-embeddings: learned"},
           {"transformer-tied-layers:\n  []", "transformer-tied-layers:\n  - 2\n  - 1"},
           {"transformer-tied-layers:\n  []", "transformer-tied-layers:\n  - 1\n  - 3"},
           {"transformer-tied-layers:\n  []", "transformer-tied-layers: [1]"},
           {"transformer-tied-layers:\n  []", "transformer-tied-layers: all"},
           {"transformer-ffn-depth: 2", "transformer-ffn-depth: 3"},
           {"transformer-heads: 4", "transformer-heads: 5"},
           {"tied-embeddings: true", "tied-embeddings: perhaps"},
           {"right-left: false", "right-left: true"},
           {"dim-emb: 32", "dim-emb: 0x20"},
           {"dim-vocabs:\n  - 320", "dim-vocabs:\n  - 320\n  - 320"},
           {"type: transformer", "type: amun"},
           {"ulr: false", "ulr: true"},
           {"skip: false", "skip: false\nsomething-new: 1"},
           {"skip: false", "right-left: false"},
           {"skip: false", "skip"}}) {
    const std::string option = from == "skip: false" ? "special:model.yml" : from.substr(0, from.find(':'));
    INFO(to);
    CHECK_THAT(error_of(with_option(from, to)), Contains("bad-config: special:model.yml") && Contains(option));
  }
  CHECK(error_of(with_option("transformer-postprocess-top: \"\"", "transformer-postprocess-top: d")).empty());
  for (const std::string activation : {"swish", "gelu"})
    CHECK(
        error_of(with_option("transformer-ffn-activation: relu", "transformer-ffn-activation: " + activation)).empty());
  // What these ask for, the file has not: tests/train/marian_variants_test.py has files with it.
  for (const auto& [from, to, missing] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"transformer-train-position-embeddings: false", "transformer-train-position-embeddings: true", "Wpos"},
           {"tied-embeddings: true", "tied-embeddings: false", "decoder_ff_logit_out_W"},
           {"transformer-postprocess-emb: d", "transformer-postprocess-emb: dn", "encoder_emb_ln_scale_pre"},
           {"transformer-postprocess-top: \"\"", "transformer-postprocess-top: n", "encoder_top_ln_scale"}})
    CHECK_THAT(error_of(with_option(from, to)), Contains("bad-model: model lacks the tensor " + missing));
  CHECK_THAT(error_of(with_option("transformer-tied-layers:\n  []", "transformer-tied-layers: [1, 1]")),
             Contains("tensors more than its configuration describes, first 'decoder_l2_"));
  CHECK_THAT(error_of(with_option("skip: false", "output-omit-bias: true")),
             Contains("first 'decoder_ff_logit_out_b'"));
  CHECK(error_of(with_option("transformer-tied-layers:\n  []", "transformer-tied-layers: []")).empty());
  CHECK(error_of(with_option("transformer-decoder-dim-ffn: 0", "transformer-decoder-dim-ffn: 40")).empty());
  CHECK_THAT(error_of(with_option("transformer-decoder-dim-ffn: 0", "transformer-decoder-dim-ffn: 44")),
             Contains("decoder_l1_ffn_W1 has shape [40, 32]") && Contains("asks for [44, 32]"));
  CHECK_THROWS_AS(parse_marian_config(yml, "{}"), Error);
}
