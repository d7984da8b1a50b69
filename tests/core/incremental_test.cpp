// The cached decoder step against a decoder that recomputes everything, written down from the paper.
#include <catch2/catch.hpp>
#include <cmath>

#include "base/error.h"
#include "model/positions.h"
#include "support.h"

using namespace dragoman;

namespace {

// Plain post-norm decoder over a whole prefix; no cache, no kernels of ours.
class FullDecoder {
 public:
  FullDecoder(const Config& config, const Weights& weights) : c_(config), w_(weights) {}

  // Logits [T, V] of the positions of kStart + prefix, given the encoder's memory [S, D]. cross [L * H] receives the
  // cross-attention [T, S] of every layer and head.
  Matrix logits(const std::vector<int>& prefix, const Matrix& memory, std::vector<Matrix>& cross) const {
    Matrix x = sinusoidal_positions(static_cast<int>(prefix.size()) + 1, c_.width);
    Vector embedding(c_.width);
    for (size_t t = 0; t < prefix.size(); ++t) {
      w_.embedding.row(prefix[t], embedding.data());
      x.row(static_cast<Eigen::Index>(t) + 1) += embedding * std::sqrt(static_cast<float>(c_.width));
    }
    for (const DecoderLayerWeights& layer : w_.decoder) {
      x = look_back(layer, x);
      x = norm(layer.cross_attention.norm, x + attention(layer.cross_attention, x, memory, false, &cross));
      const Matrix inner = linear(layer.feed_forward.up, x).cwiseMax(0.0f);
      x = norm(layer.feed_forward.norm, x + linear(layer.feed_forward.down, inner));
    }
    return linear(w_.embedding, x);
  }

 private:
  Matrix linear(const Linear& weights, const Matrix& x) const {
    QuantizedScratch scratch(static_cast<int>(x.rows()), static_cast<int>(x.cols()));
    LinearInput in(x.data(), static_cast<int>(x.rows()), static_cast<int>(x.cols()), scratch);
    Matrix y(x.rows(), weights.outputs());
    weights.apply(in, y.data());
    return y;
  }

  Matrix norm(const LayerNormWeights& w, Matrix x) const {
    for (Eigen::Index r = 0; r < x.rows(); ++r) {
      const float mean = x.row(r).mean();
      const float variance = (x.row(r).array() - mean).square().mean();
      x.row(r) =
          ((x.row(r).array() - mean) / std::sqrt(variance + c_.layer_norm_eps)) * w.gain.array() + w.bias.array();
    }
    return x;
  }

  Matrix look_back(const DecoderLayerWeights& layer, const Matrix& x) const {
    if (const auto* w = std::get_if<AttentionWeights>(&layer.history))
      return norm(w->norm, x + attention(*w, x, x, true, nullptr));
    const auto& w = std::get<SsruWeights>(layer.history);
    return norm(w.norm, x + ssru(w, x));
  }

  // Kim et al. 2019, section 3.1.
  Matrix ssru(const SsruWeights& w, const Matrix& x) const {
    const Matrix forget = (1 + (-linear(w.forget, x).array()).exp()).inverse().matrix(), input = linear(w.candidate, x);
    Matrix y(x.rows(), x.cols());
    Vector cell = Vector::Zero(x.cols());
    for (Eigen::Index t = 0; t < x.rows(); ++t) {
      cell = forget.row(t).cwiseProduct(cell) + (1 - forget.row(t).array()).matrix().cwiseProduct(input.row(t));
      y.row(t) = cell.cwiseMax(0.0f);
    }
    return y;
  }

  Matrix attention(const AttentionWeights& w, const Matrix& x, const Matrix& memory, bool causal,
                   std::vector<Matrix>* weights) const {
    const Matrix q = linear(w.query, x), k = linear(w.key, memory), v = linear(w.value, memory);
    const Eigen::Index d = c_.width / c_.decoder_heads;
    Matrix context(x.rows(), x.cols());
    for (Eigen::Index h = 0; h < c_.decoder_heads; ++h) {
      Matrix scores = q.middleCols(h * d, d) * k.middleCols(h * d, d).transpose() / std::sqrt(static_cast<float>(d));
      for (Eigen::Index t = 0; t < scores.rows(); ++t) {
        if (causal) scores.row(t).tail(scores.cols() - t - 1).setConstant(-INFINITY);
        scores.row(t) = (scores.row(t).array() - scores.row(t).maxCoeff()).exp();
        scores.row(t) /= scores.row(t).sum();
      }
      context.middleCols(h * d, d) = scores * v.middleCols(h * d, d);
      if (weights) weights->push_back(scores);
    }
    return linear(w.output, context);
  }

  const Config& c_;
  const Weights& w_;
};

}  // namespace

TEST_CASE("a cached step equals the uncached decoder, for random prefixes", "[model]") {
  const std::string folder = test::data(GENERATE("tiny-f16", "tiny-ssru"));
  const Transformer model = test::load_transformer(folder);
  const Weights weights =
      load_model(test::read_text(folder + "/config.json"), test::read_bytes(folder + "/model.safetensors")).weights;
  const FullDecoder full(model.config(), weights);
  Workspace work(model.config(), 64, 4);
  test::Random random(10);
  for (int length : {1, 2, 7, 30}) {
    std::vector<int> source;
    for (int i = 0; i < length; ++i) source.push_back(random.integer(2, model.config().source_vocabulary - 1));
    source.push_back(model.config().eos);
    const Matrix memory = model.encode({&source, 1}, work).front();
    const KvCache cross = test::cross_cache(model, source, work);
    std::vector<int> prefix;
    for (int i = 0; i < 40; ++i) prefix.push_back(random.integer(2, model.config().vocabulary - 1));
    std::vector<Matrix> expected_attention;
    const Matrix expected = full.logits(prefix, memory, expected_attention);
    REQUIRE(static_cast<int>(expected_attention.size()) ==
            model.config().decoder_layers * model.config().decoder_heads);
    Matrix attention(expected_attention.size(), memory.rows());  // [L * H, S] of a step
    DecoderState self(model.config(), 41);
    for (int t = 0; t <= 40; ++t) {
      attention.setConstant(-1);
      const DecoderRow row{t == 0 ? kStart : prefix[t - 1], &cross, &self, nullptr, attention.data()};
      model.step({&row, 1}, work);
      CHECK((work.logits.row(0) - expected.row(t)).cwiseAbs().maxCoeff() < 1e-4f);
      for (size_t i = 0; i < expected_attention.size(); ++i) {
        const auto index = static_cast<Eigen::Index>(i);
        CHECK((attention.row(index) - expected_attention[i].row(t)).cwiseAbs().maxCoeff() < 1e-5f);
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
