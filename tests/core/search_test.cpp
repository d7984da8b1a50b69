// Greedy and beam search over a fake model, endless repetition, and both over real ones.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "base/error.h"
#include "kernels/softmax.h"
#include "search/beam.h"
#include "search/repetition.h"
#include "support.h"

using namespace dragoman;

namespace {

using Tokens = std::vector<int>;
constexpr int kEos = 0, kVocabulary = 5;

LogitsRules rules(std::unique_ptr<const LogitsRule> rule) {
  LogitsRules list;
  list.push_back(std::move(rule));
  return list;
}

// Forbids whatever `forbidden` (of hypothesis and token) says.
template <class Forbidden>
class FakeRule final : public LogitsRule {
 public:
  explicit FakeRule(Forbidden forbidden) : forbidden_(forbidden) {}
  void apply(const Hypothesis& hypothesis, const NextTokens& next) const override {
    for (int token = 0; token < kVocabulary; ++token)
      if (forbidden_(hypothesis.tokens, token)) next.forbid(token);
  }

 private:
  Forbidden forbidden_;
};

Beam run(int width, SearchOptions options, LogitsRules rules = {}) {
  Beam beam(width, options, std::move(rules));
  while (!beam.finished()) {
    Matrix logits = test::fake_logits(beam.live(), kVocabulary);
    beam.extend(logits, {});
  }
  return beam;
}

// The best log-probability per token of all translations of fewer than `limit` tokens that start with `prefix`.
float exhaustive(Tokens prefix, float log_probability, int limit) {
  const Vector logits = test::fake_logits(prefix, kVocabulary);
  const float normaliser = log_sum_exp(logits.data(), kVocabulary);
  float best = (log_probability + logits[kEos] - normaliser) / static_cast<float>(prefix.size() + 1);
  if (static_cast<int>(prefix.size()) + 1 == limit) return best;
  for (int token = 1; token < kVocabulary; ++token) {
    prefix.push_back(token);
    best = std::max(best, exhaustive(prefix, log_probability + logits[token] - normaliser, limit));
    prefix.pop_back();
  }
  return best;
}

float score(const Hypothesis& h) { return h.log_probability / static_cast<float>(h.tokens.size() + 1); }

}  // namespace

TEST_CASE("a beam that is never full finds the best of all translations", "[search]") {
  constexpr int limit = 4;
  const Beam beam = run(500, {.eos = kEos, .limit = limit});
  CHECK(score(beam.best()) == Approx(exhaustive({}, 0, limit)));
  CHECK(beam.ranked().size() == 1 + 4 + 16 + 64);
}

TEST_CASE("a beam takes the way that is better in the end, greedy search the better first step", "[search]") {
  // 1 is likelier than 2, but what follows 1 is uncertain and what follows 2 is not.
  const std::map<Tokens, Vector> model = {{{}, Vector::Map(std::array{-9.f, .2f, 0.f}.data(), 3)},
                                          {{1}, Vector::Map(std::array{0.f, 0.f, 0.f}.data(), 3)},
                                          {{2}, Vector::Map(std::array{9.f, 0.f, 0.f}.data(), 3)}};
  for (const int width : {1, 2}) {
    Beam beam(width, {.eos = kEos, .limit = 8});
    while (!beam.finished()) {
      Matrix logits(beam.live().size(), 3);
      for (size_t i = 0; i < beam.live().size(); ++i) {
        const auto found = model.find(beam.live()[i].tokens);
        logits.row(static_cast<int>(i)) = found == model.end() ? model.at({1}) : found->second;
      }
      beam.extend(logits, {});
    }
    CHECK(beam.best().tokens == Tokens{width == 1 ? 1 : 2});
  }
}

TEST_CASE("hypotheses that are further behind than the margin are given up", "[search]") {
  size_t fewer = 0;
  for (const float margin : {0.0f, 0.5f, 2.0f, 1e9f}) {
    Beam beam(4, {.eos = kEos, .limit = 12, .margin = margin}), all(4, {.eos = kEos, .limit = 12});
    while (!beam.finished()) {
      Matrix logits = test::fake_logits(beam.live(), kVocabulary);
      beam.extend(logits, {});
      for (const Hypothesis& hypothesis : beam.live())
        CHECK(hypothesis.log_probability >= beam.live().front().log_probability - margin);
      fewer += beam.live().size() < 4;
      REQUIRE((beam.finished() || beam.parents().size() == beam.live().size()));
    }
    while (!all.finished()) {
      Matrix logits = test::fake_logits(all.live(), kVocabulary);
      all.extend(logits, {});
    }
    if (margin == 1e9f) CHECK(beam.best().tokens == all.best().tokens);
  }
  CHECK(fewer > 4);
}

TEST_CASE("what would go on behind an end that is sure is given up, too", "[search]") {
  const Vector to_word = Vector::Map(std::array{0.f, 9.f, 0.f}.data(), 3),
               to_end = Vector::Map(std::array{9.f, 0.f, 0.f}.data(), 3);
  Beam beam(4, {.eos = kEos, .limit = 8, .margin = 4});
  for (int step = 0; step < 2; ++step) {
    REQUIRE_FALSE(beam.finished());
    Matrix logits = (step == 0 ? to_word : to_end).replicate(static_cast<int>(beam.live().size()), 1);
    beam.extend(logits, {});
  }
  REQUIRE(beam.finished());
  CHECK(beam.ranked().size() == 1);
  CHECK(beam.best().tokens == Tokens{1});
}

TEST_CASE("parents and settled tokens tell what becomes of the hypotheses", "[search]") {
  for (const int width : {1, 2, 3, 8}) {
    Beam beam(width, {.eos = kEos, .limit = 12, .score = true});
    Tokens settled;
    while (!beam.finished()) {
      const std::vector<Hypothesis> before(beam.live().begin(), beam.live().end());
      Matrix logits = test::fake_logits(beam.live(), kVocabulary);
      beam.extend(logits, {});
      REQUIRE((beam.finished() || beam.parents().size() == beam.live().size()));
      for (size_t i = 0; !beam.finished() && i < beam.live().size(); ++i) {
        const Tokens& tokens = beam.live()[i].tokens;
        CHECK(Tokens(tokens.begin(), tokens.end() - 1) == before[beam.parents()[i]].tokens);
        if (i) CHECK(beam.live()[i].log_probability <= beam.live()[i - 1].log_probability);
      }
      // What was settled stays.
      const Tokens& best = beam.best().tokens;
      REQUIRE(beam.settled() >= static_cast<int>(settled.size()));
      REQUIRE(beam.settled() <= static_cast<int>(best.size()));
      CHECK(std::equal(settled.begin(), settled.end(), best.begin()));
      settled.assign(best.begin(), best.begin() + beam.settled());
    }
    CHECK(settled == beam.best().tokens);
    CHECK(beam.ranked().size() <= static_cast<size_t>(width));
    CHECK(settled.size() <= 12);
  }
}

TEST_CASE("columns of a shortlist stand for its tokens", "[search]") {
  for (const int width : {1, 3}) {
    Beam all(width, {.eos = kEos, .limit = 6}), listed(width, {.eos = kEos, .limit = 6});
    const Tokens list = {3, 4, 0, 2, 1};
    while (!all.finished()) {
      Matrix logits = test::fake_logits(all.live(), kVocabulary), columns = logits;
      for (int i = 0; i < kVocabulary; ++i) columns.col(i) = logits.col(list[i]);
      all.extend(logits, {});
      listed.extend(columns, list);
    }
    CHECK(listed.finished());
    CHECK(listed.best().tokens == all.best().tokens);
  }
}

TEST_CASE("a vocabulary smaller than the beam", "[search]") {
  for (const int vocabulary : {1, 2}) {
    Beam beam(8, {.eos = kEos, .limit = 3});
    while (!beam.finished()) {
      Matrix logits = Matrix::Zero(beam.live().size(), vocabulary);
      beam.extend(logits, {});
    }
    CHECK(beam.best().tokens.size() <= 3);
  }
}

TEST_CASE("a stretch stands three times in a row, or two more than in the source", "[search]") {
  CHECK(allowed_repetitions({}) == 3);
  CHECK(allowed_repetitions(Tokens{7, 7, 8, 7, 7, 9}) == 4);
  CHECK(allowed_repetitions(Tokens{1, 7, 7, 7, 7, 2}) == 6);
  CHECK(allowed_repetitions(Tokens{5, 1, 2, 3, 1, 2, 3, 1, 2, 3, 4}) == 5);
  CHECK(allowed_repetitions(Tokens{1, 2, 3, 1, 2}) == 3);

  const auto forbidden = [](const Tokens& hypothesis, int allowed, const Tokens& list) {
    std::vector<float> logits(10, 0);
    RepetitionRule(allowed).apply({hypothesis}, {logits, list});
    Tokens found;
    for (int i = 0; i < 10; ++i)
      if (std::isinf(logits[i])) found.push_back(i);
    return found;
  };
  CHECK(forbidden({}, 3, {}).empty());
  CHECK(forbidden({7, 7}, 3, {}).empty());
  CHECK(forbidden({7, 7, 7}, 3, {}) == Tokens{7});
  CHECK(forbidden({7, 7, 7}, 4, {}).empty());
  CHECK(forbidden({1, 2, 1, 2, 1, 2, 1}, 3, {}) == Tokens{2});
  CHECK(forbidden({1, 2, 3, 2, 1, 2, 1}, 3, {}).empty());
  CHECK(forbidden({7, 7, 7}, 3, {9, 8, 7, 6, 5, 4, 3, 2, 1, 0}) == Tokens{2});
  CHECK(forbidden({7, 7, 7}, 3, {9, 8, 6, 5, 4, 3, 2, 1, 0, 10}).empty());

  // A model that always wants the same.
  for (const int width : {1, 4}) {
    for (const int allowed : {3, 5}) {
      Beam beam(width, {.eos = kEos, .limit = 30}, rules(std::make_unique<RepetitionRule>(allowed)));
      while (!beam.finished()) {
        Matrix logits = Matrix::Zero(static_cast<Eigen::Index>(beam.live().size()), kVocabulary);
        logits.col(2).setConstant(20);
        logits.col(kEos).setConstant(10);
        beam.extend(logits, {});
      }
      CHECK(beam.best().tokens == Tokens(allowed, 2));
    }
  }
}

TEST_CASE("what a rule forbids is not chosen, by greedy and beam search alike", "[search]") {
  test::Random random(24);
  int dead_ends = 0;
  for (int run_number = 0; run_number < 200; ++run_number) {
    const unsigned seed = static_cast<unsigned>(random.integer(0, 1 << 20));
    const auto forbidden = [seed](const Tokens& tokens, int token) {  // any tokens, now and then all of them
      unsigned hash = seed + 7 * static_cast<unsigned>(token);
      for (const int t : tokens) hash = hash * 31 + static_cast<unsigned>(t);
      return (hash * 2654435761u >> 16) % 3 != 0;
    };
    for (const int width : {1, 2, 4}) {
      const Beam beam = run(width, {.eos = kEos, .limit = 9, .score = true},
                            rules(std::make_unique<FakeRule<decltype(forbidden)>>(forbidden)));
      for (const Hypothesis& hypothesis : beam.ranked()) {
        Tokens before;
        float log_probability = 0;  // the model's, whatever the rule forbade
        for (const int token : hypothesis.tokens) {
          CHECK_FALSE(forbidden(before, token));
          const Vector logits = test::fake_logits(before, kVocabulary);
          log_probability += logits[token] - log_sum_exp(logits.data(), kVocabulary);
          before.push_back(token);
        }
        bool dead_end = true;
        for (int token = 0; token < kVocabulary; ++token) dead_end &= forbidden(before, token);
        if (hypothesis.tokens.size() < 9 && !dead_end) {
          CHECK_FALSE(forbidden(before, kEos));
          const Vector logits = test::fake_logits(before, kVocabulary);
          log_probability += logits[kEos] - log_sum_exp(logits.data(), kVocabulary);
        }
        CHECK(hypothesis.log_probability == Approx(log_probability));
        dead_ends += dead_end;
      }
    }
  }
  CHECK(dead_ends > 10);
  // A rule that leaves one way only, and no end.
  const auto forced = [](const Tokens& tokens, int token) { return token != 1 + static_cast<int>(tokens.size()); };
  for (const int width : {1, 2, 4}) {
    const Beam beam =
        run(width, {.eos = kEos, .limit = 9}, rules(std::make_unique<FakeRule<decltype(forced)>>(forced)));
    CHECK(beam.ranked().size() == 1);
    CHECK(beam.best().tokens == Tokens{1, 2, 3, 4});
  }
}

TEST_CASE("rules are applied in their order, and the logits of a list are found by token", "[search]") {
  std::vector<float> logits = {1, 2, 3};
  const Tokens list = {10, 20, 30};
  const NextTokens next = {logits, list};
  CHECK(next.token(1) == 20);
  CHECK(next.find(30) == 2);
  CHECK(next.find(40) == 3);
  next.forbid(20);
  next.forbid(40);
  CHECK(logits == std::vector<float>{1, kForbidden, 3});
  const NextTokens whole = {logits, {}};
  CHECK(whole.find(2) == 2);
  CHECK(whole.token(2) == 2);
  whole.forbid(99);

  struct Add final : LogitsRule {
    Add(float factor, float summand) : factor(factor), summand(summand) {}
    void apply(const Hypothesis&, const NextTokens& next) const override {
      for (float& logit : next.logits) logit = logit * factor + summand;
    }
    float factor, summand;
  };
  LogitsRules both;
  both.push_back(std::make_unique<Add>(1.0f, 1.0f));
  both.push_back(std::make_unique<Add>(2.0f, 0.0f));
  Beam beam(1, {.eos = kEos, .limit = 2}, std::move(both));
  Matrix row = Matrix::Constant(1, 3, 5);
  beam.extend(row, {});
  CHECK(row(0, 1) == 12);
}

TEST_CASE("states follow their hypotheses", "[model]") {
  Config config = test::load_transformer(test::data("tiny-int8")).config();
  const bool attends = GENERATE(true, false);
  if (!attends) config.decoder_unit = DecoderUnit::kSsru;
  // First and last number of what a state holds.
  const auto ends = [&](DecoderState& state) {
    const int last = config.decoder_layers - 1;
    return attends ? std::pair{state.cache().keys(0), state.cache().values(last) + 2 * config.width - 1}
                   : std::pair{state.cell(0), state.cell(last) + config.width - 1};
  };
  std::vector<DecoderState> states;
  for (int i = 0; i < 4; ++i) {
    DecoderState& state = states.emplace_back(config, 6);
    state.advance();
    state.advance();
    *ends(state).first = *ends(state).second = static_cast<float>(i);
  }
  const auto numbers = [&] {
    Tokens found;
    for (DecoderState& state : states) {
      CHECK(state.length() == 2);
      CHECK(*ends(state).first == *ends(state).second);
      found.push_back(static_cast<int>(*ends(state).first));
    }
    return found;
  };
  reorder(states, Tokens{0, 1, 2, 3});
  CHECK(numbers() == Tokens{0, 1, 2, 3});
  reorder(states, Tokens{3, 0, 3, 2});
  CHECK(numbers() == Tokens{3, 0, 3, 2});
  reorder(states, Tokens{1, 1});  // the others are spare
  CHECK(numbers()[0] == 0);
  CHECK(numbers()[1] == 0);
  CHECK(states.size() == 4);
}

TEST_CASE("beam search is the same on any number of threads and rows, and in pieces", "[engine]") {
  std::string text;
  for (int i = 0; i < 12; ++i) text += "The garden number " + std::to_string(i * i) + " is large, and we read a book. ";
  Engine one = test::load_engine(test::weights("en-de"), {.max_hypotheses = 4});
  Engine many = test::load_engine(test::weights("en-de"), {.threads = 3});
  const auto translation = one.start(text, {.beam = 4});
  std::string pieces;
  while (one.step()) pieces += translation->take_text();
  pieces += translation->take_text();
  const auto same = many.start(text, {.beam = 4});
  CHECK(test::finish(many, *same) == pieces);
  CHECK(translation->alternatives().empty());  // it is not one sentence
  const auto sentence = one.start("I like to read books in the evening.", {.beam = 4});
  test::finish(one, *sentence);
  CHECK(sentence->alternatives().size() == 3);
}

TEST_CASE("texts of different beams share the rows, each translated as if it were alone", "[engine]") {
  const std::string text = "The garden is large. Where is the station? We read a book, and it rains.";
  Engine engine = test::load_engine(test::weights("en-de"), {.max_hypotheses = 6});
  const auto alone = [&](int beam) {
    const auto translation = engine.start(text, {.beam = beam});
    return test::finish(engine, *translation);
  };
  std::vector<std::string> expected;
  std::vector<std::shared_ptr<Translation>> together;
  for (int beam : {1, 4, 2, 6, 1, 3}) expected.push_back(alone(beam));
  for (int beam : {1, 4, 2, 6, 1, 3}) together.push_back(engine.start(text, {.beam = beam}));
  for (size_t i = 0; i < expected.size(); ++i) CHECK(test::finish(engine, *together[i]) == expected[i]);
}
