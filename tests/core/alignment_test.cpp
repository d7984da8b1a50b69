// What of a text became what of its translation: the attention that is kept, and what is made of it.
#include "engine/alignment.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "base/error.h"
#include "engine/attention_record.h"
#include "support.h"
#include "text/annotated_text.h"
#include "text/unicode.h"

using namespace dragoman;

namespace {

using Ranges = std::vector<TextRange>;

// Searches like test::search, and keeps the attention of all hypotheses.
struct Recorded {
  Beam beam;
  AttentionRecord record;
};

Recorded search_and_record(const Transformer& model, const KvCache& cross, int width, int limit, Workspace& work) {
  const Config& config = model.config();
  Recorded found = {Beam(width, {.eos = config.eos, .limit = limit}),
                    AttentionRecord(config, cross.length(), width, true)};
  std::vector<DecoderState> self(width, DecoderState(config, limit));
  while (!found.beam.finished()) {
    std::vector<DecoderRow> rows;
    for (const Hypothesis& live : found.beam.live()) {
      const int i = static_cast<int>(rows.size()), last = live.tokens.empty() ? kStart : live.tokens.back();
      rows.push_back({last, &cross, &self[i], nullptr, found.record.step_row(i)});
    }
    model.step(rows, work);
    found.record.keep(found.beam.parents());
    found.beam.extend(work.logits.topRows(static_cast<Eigen::Index>(rows.size())), {});
    if (!found.beam.finished()) reorder(self, found.beam.parents());
  }
  return found;
}

// The mean of the aligning heads when each token is read, by itself: [T, S].
Matrix forced_attention(const Transformer& model, const KvCache& cross, const std::vector<int>& tokens,
                        Workspace& work) {
  const Config& config = model.config();
  const int length = static_cast<int>(tokens.size());
  DecoderState self(config, length + 1);
  Matrix attention(config.decoder_layers * config.decoder_heads, cross.length());
  Matrix means = Matrix::Zero(length, cross.length());
  for (int t = 0; t <= length; ++t) {
    const DecoderRow row = {t ? tokens[t - 1] : kStart, &cross, &self, nullptr, attention.data()};
    model.step({&row, 1}, work);
    for (const auto& [layer, head] : config.alignment_heads)
      if (t > 0) means.row(t - 1) += attention.row(layer * config.decoder_heads + head);
  }
  return means / static_cast<float>(config.alignment_heads.size());
}

// What is kept of all heads, [L, H, T, S], as the mean of those that align.
Matrix mean_of_aligning(const std::vector<float>& weights, const Config& config, int pieces) {
  const int heads = config.decoder_layers * config.decoder_heads;
  const auto tokens = static_cast<Eigen::Index>(weights.size()) / (heads * pieces);
  Matrix mean = Matrix::Zero(tokens, pieces);
  if (tokens == 0) return mean;
  for (const auto& [layer, head] : config.alignment_heads)
    mean += ConstMatrixView(&weights[(layer * config.decoder_heads + head) * tokens * pieces], tokens, pieces);
  return mean / static_cast<float>(config.alignment_heads.size());
}

std::vector<std::string> linked_words(const std::string& text, const std::string& translation, const Alignment& found) {
  std::vector<std::string> pairs;
  for (const auto& [source, target, weight] : found.words.links) {
    const TextRange s = found.words.source[source], t = found.words.target[target];
    pairs.push_back(text.substr(s.begin, s.size()) + "-" + translation.substr(t.begin, t.size()));
  }
  return pairs;
}

}  // namespace

TEST_CASE("the attention that is kept is that of the hypothesis, whatever the beam did", "[alignment]") {
  for (const std::string& folder : {test::data("tiny-int8"), test::weights("en-de")}) {
    const Transformer model = test::load_transformer(folder);
    Workspace work(model.config(), kMaxPositions, 6);
    const std::vector<int> source = {5, 9, 77, 30, 31, 140, 12, model.config().eos};
    const KvCache cross = test::cross_cache(model, source, work);
    for (const auto& [width, limit] : {std::pair{1, 40}, {2, 40}, {6, 40}, {4, 3}, {1, 2}}) {
      const auto [beam, record] = search_and_record(model, cross, width, limit, work);
      for (const Hypothesis& hypothesis : beam.ranked()) {
        Matrix expected = forced_attention(model, cross, hypothesis.tokens, work);
        const int tokens = static_cast<int>(hypothesis.tokens.size());
        const Matrix kept = record.of(hypothesis, tokens);
        if (!hypothesis.ended) expected.bottomRows(1).setZero();  // nobody has read the last one
        REQUIRE(kept.rows() == expected.rows());
        if (kept.size() > 0) REQUIRE((kept - expected).cwiseAbs().maxCoeff() < 1e-6f);
        const Matrix mean = mean_of_aligning(record.of_heads(hypothesis, tokens), model.config(), cross.length());
        REQUIRE((mean - kept).norm() < 1e-5f);
        REQUIRE(record.of(hypothesis, tokens / 2) == kept.topRows(tokens / 2));
      }
    }
  }
}

TEST_CASE("parts are linked where the attention is the most that either has, or nearly", "[alignment]") {
  Matrix attention(3, 2);
  attention << 0.9f, 0.1f,  // the first target part is linked to the first source part
      0.5f, 0.45f,          // nearly the most of this one, but the first has more for both
      0.3f, 0.55f;
  const Ranges source = {{0, 1}, {2, 3}}, target = {{0, 1}, {1, 2}, {2, 3}};
  LinkedParts parts;
  parts.add({source.data(), 1}, {target.data(), 1}, Matrix::Ones(1, 1));
  parts.add(source, target, attention);
  REQUIRE(parts.links.size() == 4);
  const auto is = [&](size_t i, size_t s, size_t t, double weight) {
    const Link& link = parts.links[i];
    return link.source == s && link.target == t && link.weight == weight;
  };
  CHECK(is(0, 0, 0, 1));
  CHECK(is(1, 1, 1, 0.9));
  CHECK(is(2, 2, 2, 0.45));
  CHECK(is(3, 2, 3, 0.55));
  parts.add({}, target, Matrix(3, 0));
  parts.add(source, target, Matrix::Zero(3, 2));
  CHECK(parts.links.size() == 4);
  CHECK(parts.source.size() == 5);
  CHECK(parts.target.size() == 10);
}

TEST_CASE("words have the attention of their pieces", "[alignment]") {
  Matrix attention(4, 5);  // the last column is eos
  attention << 0.1f, 0.2f, 0.3f, 0.2f, 0.2f, 0.5f, 0.1f, 0, 0.4f, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0;
  // Source words: pieces 0 and 1, piece 2 and the empty one before it is of the cat's bytes; target words: 0 and 1, 3.
  const Ranges source_pieces = {{0, 2}, {2, 4}, {4, 5}, {5, 9}}, source_words = {{0, 4}, {5, 9}};
  const Ranges target_pieces = {{0, 2}, {2, 3}, {3, 3}, {3, 7}}, target_words = {{0, 3}, {3, 7}};
  const Matrix found = attention_of_words(attention, source_pieces, target_pieces, source_words, target_words);
  Matrix expected(2, 2);
  expected << (0.3f + 0.6f) / 2, (0.2f + 0.4f) / 2, 0, 0;
  CHECK((found - expected).cwiseAbs().maxCoeff() < 1e-6f);
}

TEST_CASE("words of a real translation find each other", "[alignment]") {
  Engine engine = test::load_engine(test::weights("en-de"));
  const std::string text = "Where is the station? 42\nThe house is small.";
  for (const int beam : {1, 4}) {
    const auto translation = engine.start(text, {.beam = beam, .alignment = true});
    const std::string german = test::finish(engine, *translation);
    CHECK(german == test::finish(engine, *engine.start(text, {.beam = beam})));
    const Alignment found = translation->alignment();
    CHECK(found.sentences.links.size() == translation->sentences());
    const auto pairs = linked_words(text, german, found);
    for (const std::string expected : {"Where-Wo", "station-Bahnhof", "42-42", "small-klein", ".-."})
      CHECK(std::count(pairs.begin(), pairs.end(), expected) == 1);
  }
}

TEST_CASE("ranges of an alignment are those of the annotated texts, in UTF-16", "[alignment]") {
  Engine engine = test::load_engine(test::data("tiny-int8"));
  for (const std::string text :
       {"", "42", "Das Haus \U0001F408 ist \xFF gro\u00DF. \U0001F469\u200D\U0001F467! 7\n\nA \xF0\x9F",
        "DAS HAUS IST SEHR GRO\u1E9E."}) {
    const auto translation = engine.start(text, {.alignment = true});
    test::finish(engine, *translation);
    AnnotatedText source = translation->annotated_source(), target = translation->annotated_target();
    const Alignment found = translation->alignment();
    to_utf16(source.text, source.sentences);
    to_utf16(source.text, source.pieces);
    CHECK(found.sentences.source == source.sentences);
    CHECK(found.pieces.source == source.pieces);
    Ranges target_words;
    for (const TextRange& sentence : target.sentences)
      for (const TextRange& word : words(target.text, sentence)) target_words.push_back(word);
    for (Ranges* ranges : {&target.sentences, &target.pieces, &target_words}) to_utf16(target.text, *ranges);
    CHECK(found.sentences.target == target.sentences);
    CHECK(found.pieces.target == target.pieces);
    CHECK(found.words.target == target_words);
    for (const LinkedParts* parts : {&found.sentences, &found.words, &found.pieces}) {
      for (const Link& link : parts->links) {
        CHECK(link.source < parts->source.size());
        CHECK(link.target < parts->target.size());
        CHECK((0 <= link.weight && link.weight <= 1));
      }
    }
  }
  const auto all = engine.start("Das Haus. 42", {.attention = true});
  test::finish(engine, *all);
  const Config& config = engine.config();
  const size_t heads = config.decoder_layers * config.decoder_heads;
  const Alignment pieces = all->alignment();
  CHECK(all->head_attention(0).size() == heads * pieces.pieces.target.size() * (pieces.pieces.source.size() + 1));
  CHECK(all->head_attention(1).empty());
  const auto plain = engine.start("Das Haus.");
  test::finish(engine, *plain);
  CHECK(plain->alignment().sentences.source.empty());
}

TEST_CASE("attention grows with what is written, and what is there stays", "[alignment]") {
  Engine engine = test::load_engine(test::weights("en-de"));
  const int heads = engine.config().decoder_layers * engine.config().decoder_heads;
  for (const int beam : {1, 4}) {
    const auto translation = engine.start("The museum is closed on Mondays. 42. We met in front of the station!",
                                          {.beam = beam, .attention = true});
    std::vector<std::vector<float>> seen[3];  // of each sentence
    do {
      const Alignment found = translation->alignment();
      REQUIRE(found.sentences.source.size() == 3);
      size_t target = 0;
      for (size_t i = 0; i < 3; ++i) {
        const auto& weights = translation->head_attention(i);
        if (seen[i].empty() || seen[i].back().size() != weights.size()) seen[i].push_back(weights);
        const TextRange range = found.sentences.target[i];
        const auto pieces = std::count_if(found.pieces.target.begin(), found.pieces.target.end(), [&](TextRange piece) {
          return range.begin <= piece.begin && piece.end <= range.end && piece.size() > 0;
        });
        if (!weights.empty()) CHECK(weights.size() % (heads * pieces) == 0);
        target += pieces;
      }
      CHECK(found.pieces.target.size() >= target);
    } while (engine.step());
    CHECK(seen[1].size() == 1);  // passes as it is
    for (const size_t i : {size_t{0}, size_t{2}}) {
      CHECK(seen[i].size() > (beam == 1 ? 5 : 1));  // what a beam writes is settled late
      const size_t columns =
          engine.inspect(i == 0 ? "The museum is closed on Mondays." : "We met in front of the station!", {})
              .source.tokens.size();
      const auto& last = seen[i].back();
      const size_t rows = last.size() / heads / columns;
      for (const auto& before : seen[i]) {
        const size_t known = before.size() / heads / columns;
        for (size_t at = 0; at + 1 < known; ++at)  // the attention of the last one may be to come
          for (int head = 0; head < heads; ++head)
            for (size_t s = 0; s < columns; ++s)
              REQUIRE(before[(head * known + at) * columns + s] == last[(head * rows + at) * columns + s]);
      }
    }
  }
}

TEST_CASE("the heads that align are those of config.json, checked", "[alignment]") {
  auto config = test::read_json(test::weights("en-de") + "/config.json");
  const auto heads = [&](const nlohmann::json& stated) {
    config["alignment_heads"] = stated;
    return parse_config(test::text_of(config)).alignment_heads;
  };
  CHECK(heads({{1, 3}, {0, 0}}).front().head == 3);
  for (const char* bad :
       {"[]", "7", "[[0]]", "[[2, 0]]", "[[0, 4]]", "[[0, -1]]", "[[0, 0.5]]", "[0, 0]", "[[0, \"0\"]]"})
    CHECK_THROWS_AS(heads(test::json_of(bad)), Error);
  config.erase("alignment_heads");
  const auto usual = parse_config(test::text_of(config)).alignment_heads;  // of the last layer but one
  CHECK(usual.size() == 4);
  CHECK(usual.back().layer == 0);
}
