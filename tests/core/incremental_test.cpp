// The cached decoder step against a decoder that recomputes everything.
#include <catch2/catch.hpp>

#include "base/error.h"
#include "full_model.h"
#include "support.h"

using namespace dragoman;

TEST_CASE("a cached step equals the uncached decoder, for random prefixes", "[model]") {
  const std::string folder = test::data(GENERATE("tiny-f16", "tiny-ssru"));
  const Transformer model = test::load_transformer(folder);
  const test::FullModel full(folder);
  Workspace work(model.config(), 64, 4);
  test::Random random(10);
  for (int length : {1, 2, 7, 30}) {
    std::vector<int> source;
    for (int i = 0; i < length; ++i) source.push_back(random.integer(2, model.config().source_vocabulary - 1));
    source.push_back(model.config().eos);
    const test::Real memory = full.encode(source);
    const KvCache cross = test::cross_cache(model, source, work);
    std::vector<int> prefix;
    for (int i = 0; i < 40; ++i) prefix.push_back(random.integer(2, model.config().vocabulary - 1));
    std::vector<test::Real> expected_attention;
    const test::Real expected = full.decode(prefix, memory, expected_attention);
    REQUIRE(static_cast<int>(expected_attention.size()) ==
            model.config().decoder_layers * model.config().decoder_heads);
    Matrix attention(expected_attention.size(), memory.rows());  // [L * H, S] of a step
    DecoderState self(model.config(), 41);
    for (int t = 0; t <= 40; ++t) {
      attention.setConstant(-1);
      const DecoderRow row{t == 0 ? kStart : prefix[t - 1], &cross, &self, nullptr, attention.data()};
      model.step({&row, 1}, work);
      CHECK((work.logits.row(0).cast<double>() - expected.row(t)).cwiseAbs().maxCoeff() < 1e-4f);
      for (size_t i = 0; i < expected_attention.size(); ++i) {
        const auto index = static_cast<Eigen::Index>(i);
        CHECK((attention.row(index).cast<double>() - expected_attention[i].row(t)).cwiseAbs().maxCoeff() < 1e-5f);
      }
    }
  }
}

TEST_CASE("rows of one step do not depend on each other", "[model]") {
  const Transformer model = test::load_transformer(test::data("tiny-int8"));
  Workspace work(model.config(), 64, 8);
  const std::vector<std::vector<int>> sources = {{5, 9, 77, 0}, {30, 0}, {200, 201, 202, 203, 204, 205, 0}};
  std::vector<std::vector<float>> alone;
  for (const auto& source : sources) {
    std::vector<float> logits;
    test::greedy(model, source, work,
                 [&](const auto& row, const auto&) { logits.insert(logits.end(), row.begin(), row.end()); });
    alone.push_back(std::move(logits));
  }
  std::vector<KvCache> cross;
  std::vector<DecoderState> self;
  for (const ConstMatrixView& memory : model.encode(sources, work)) {
    cross.emplace_back(model.config(), static_cast<int>(memory.rows()));
    model.fill_cross_cache(memory, work, cross.back());
    self.emplace_back(model.config(), 20);
  }
  // Nor on whether one tells its attention.
  std::vector<float> attention(model.config().decoder_layers * model.config().decoder_heads * sources[1].size());
  std::vector<DecoderRow> rows;
  for (size_t i = 0; i < sources.size(); ++i) rows.push_back({kStart, &cross[i], &self[i]});
  rows[1].attention = attention.data();
  model.step(rows, work);
  for (size_t i = 0; i < sources.size(); ++i) {
    const std::vector<float> first(alone[i].begin(), alone[i].begin() + model.config().vocabulary);
    const auto row = work.logits.row(static_cast<Eigen::Index>(i));
    CHECK(std::vector<float>(row.begin(), row.end()) == first);  // to the bit
  }
}

TEST_CASE("a step without room is refused", "[model]") {
  const Transformer model = test::load_transformer(test::data("tiny-int8"));
  Workspace work(model.config(), 16, 1);
  const std::vector<int> source = {5, 0};
  const KvCache cross = test::cross_cache(model, source, work);
  DecoderState self(model.config(), 1);
  const DecoderRow row{kStart, &cross, &self};
  model.step({&row, 1}, work);
  REQUIRE_THROWS_AS(model.step({&row, 1}, work), Error);
  const std::vector<int> too_long(17, 5);
  REQUIRE_THROWS_AS(model.encode({&too_long, 1}, work), Error);
}
