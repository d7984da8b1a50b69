// Searches that have to bring in what they are given, and those that draw by chance.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "base/error.h"
#include "engine/glossary.h"
#include "search/beam.h"
#include "search/phrases.h"
#include "search/sampling.h"
#include "support.h"

using namespace dragoman;

namespace {

using Tokens = std::vector<int>;
using Terms = std::vector<std::string_view>;
constexpr int kEos = 0, kVocabulary = 12;

std::vector<bool> none_continues() { return std::vector<bool>(kVocabulary); }

Beam run(int width, int limit, const std::shared_ptr<const Phrases>& phrases) {
  LogitsRules rules;
  rules.push_back(std::make_unique<PhraseRule>(phrases, kEos));
  Beam beam(width, {.eos = kEos, .limit = limit, .score = true}, std::move(rules), phrases);
  while (!beam.finished()) {
    Matrix logits = test::fake_logits(beam.live(), kVocabulary);
    beam.extend(logits, {});
  }
  return beam;
}

bool contains(const Tokens& tokens, const Tokens& phrase) {
  return std::search(tokens.begin(), tokens.end(), phrase.begin(), phrase.end()) != tokens.end();
}

std::string text_of(Engine& engine, const std::string& text, const TranslateOptions& options) {
  return test::finish(engine, *engine.start(text, options));
}

}  // namespace

TEST_CASE("a beam that has phrases to meet meets them all", "[phrases]") {
  test::Random random(3);
  for (int i = 0; i < 150; ++i) {
    std::vector<Phrases::Phrase> wanted;
    int total = 0;
    for (int n = random.integer(1, 4); n > 0; --n) {
      Phrases::Phrase phrase;
      for (int length = random.integer(1, 3); length > 0; --length) phrase.tokens.push_back(random.integer(1, 11));
      phrase.at_start = phrase.tokens;
      total += static_cast<int>(phrase.tokens.size());
      wanted.push_back(phrase);
    }
    const auto phrases = std::make_shared<Phrases>(wanted, none_continues());
    CHECK(phrases->tokens() == total);
    const Beam beam = run(4 + total, 40, phrases);
    for (const Hypothesis& found : beam.ranked()) {
      if (!found.ended) continue;
      for (const Phrases::Phrase& phrase : wanted) CHECK(contains(found.tokens, phrase.tokens));
      float log_probability = 0;
      Tokens before;
      for (const int token : found.tokens) {
        const Vector logits = test::fake_logits(before, kVocabulary);
        log_probability += logits[token] - std::log(logits.array().exp().sum());
        before.push_back(token);
      }
      const Vector logits = test::fake_logits(before, kVocabulary);
      log_probability += logits[kEos] - std::log(logits.array().exp().sum());
      CHECK(found.log_probability == Approx(log_probability).margin(1e-3));
    }
    Progress progress;  // of the best, even if it was cut off
    for (const int token : beam.best().tokens) progress = phrases->after(progress, token);
    CHECK(phrases->all_met(progress));
  }
}

TEST_CASE("progress of phrases: begun, given up, done once, others at the start", "[phrases]") {
  std::vector<bool> continues = none_continues();
  continues[9] = true;
  const Phrases phrases({{{1, 2}, {7}}, {{1, 2}, {7}}, {{1, 3, 4}, {1, 3, 4}}}, continues);
  const auto after = [&](const Tokens& tokens) {
    Progress progress;
    for (const int token : tokens) progress = phrases.after(progress, token);
    return progress;
  };
  const auto next = [&](const Tokens& tokens) {
    Tokens found;
    phrases.for_next(after(tokens), [&](int token) { found.push_back(token); });
    return found;
  };
  CHECK(next({}) == Tokens{7, 7, 1});
  CHECK(next({5}) == Tokens{1, 1, 1});
  CHECK(next({5, 1}) == Tokens{2, 2, 3});
  CHECK(next({5, 1, 3}) == Tokens{4});
  CHECK(next({5, 1, 3, 1}) == Tokens{2, 2, 3});
  CHECK(next({7}) == Tokens{1, 1});
  CHECK(phrases.tokens_met(after({7})) == 2);
  CHECK(phrases.tokens_met(after({5, 1, 2, 6, 1, 3})) == 4);
  CHECK(phrases.all_met(after({1, 3, 4, 1, 2, 1, 2})));
  CHECK_FALSE(phrases.all_met(after({1, 2, 1, 2, 1, 3})));
  CHECK(phrases.spoils(after({5, 1, 2}), 9));
  CHECK_FALSE(phrases.spoils(after({5, 1, 2}), 8));
  CHECK_FALSE(phrases.spoils(after({5, 1, 2, 8}), 9));
}

TEST_CASE("terms of a glossary are found as whole words, the longest first, case and beginnings minded", "[glossary]") {
  const Glossary glossary(
      "contract\tVertrag\ncontract law\tVertragsrecht\nUS\tVereinigte "
      "Staaten\nthe\tder\n\nlaw\tGesetz\r\nd'accord\teinig\n");
  const auto found = [&](const char* text, bool capitals = false) { return glossary.translations(text, capitals); };
  CHECK(found("I like contract  law.") == Terms{"Vertragsrecht"});
  CHECK(found("Contract law, contract and law, contracts") == Terms{"Vertragsrecht", "Vertrag", "Gesetz"});
  CHECK(found("\u201CContract\u201D and Contract") == Terms{"Vertrag"});
  CHECK(found("US and us, contract, contract") == Terms{"Vereinigte Staaten", "Vertrag", "Vertrag"});
  CHECK(found("THE LAW OF US CONTRACT", true) == Terms{"der", "Gesetz", "Vereinigte Staaten", "Vertrag"});
  CHECK(found("THE LAW") == Terms{});
  CHECK(found("They're d'accord.") == Terms{"einig"});
  CHECK(found("") == Terms{});
  CHECK(with_capital("vertrag") == "Vertrag");
  CHECK(with_capital("\u00E4rger und \u00D6l") == "\u00C4rger und \u00D6l");
  CHECK(with_capital("iPhone") == "iPhone");
  CHECK(with_capital("\u00DFa") == "\u00DFa");
  CHECK(with_capital("7 b") == "7 b");
  for (const char* bad : {"a", "a\tb\tc", "\tb", "a\t", " \t ", "a\tb\na\tc", "a  b\tc\na b\td"})
    CHECK_FALSE(test::refusal([&] { Glossary terms(bad); }).empty());
  CHECK_FALSE(test::refusal([&] { Glossary terms(std::string(201, 'a') + "\tb"); }).empty());
  std::string many;
  for (int i = 0; i < 10'001; ++i) many += "term" + std::to_string(i) + "\tb\n";
  CHECK_FALSE(test::refusal([&] { Glossary terms(many); }).empty());
  CHECK(Glossary("\n\r\n").empty());
}

TEST_CASE("a translation honours the glossary", "[glossary]") {
  Engine engine = test::load_engine(test::weights("en-de"));
  const auto with = [&](const std::string& text, const std::string& glossary) {
    return text_of(engine, text, {.beam = 4, .glossary = glossary});
  };
  const auto has = [](const std::string& text, const std::string& part) { return text.find(part) != text.npos; };
  const std::string text = "Where is the station? The house is small.";
  CHECK(with(text, "airport\tFlughafen") == text_of(engine, text, {.beam = 4}));
  CHECK(has(with(text, "station\tHaltestelle"), "Haltestelle?"));
  CHECK(has(with("The house is small. It is a house.", "house\tGeb\u00E4ude\nsmall\twinzig"),
            "Geb\u00E4ude ist winzig."));
  CHECK(has(with("He stood at the railway station.", "railway station\tHaltepunkt der Bahn"), "Haltepunkt der Bahn"));
  CHECK(has(with("WHERE IS THE STATION NOW?", "station\tHaltestelle"), "HALTESTELLE"));
  CHECK(has(with(text, "station\tZebra\U0001F408"), "Zebra\U0001F408"));
  CHECK(text_of(engine, "Where is the station?", {.beam = 4, .prefix = "Wo liegt ", .glossary = "station\tHaltestelle"})
            .starts_with("Wo liegt "));
  // More terms than can be met.
  std::string words = "house";
  for (int i = 0; i < 90; ++i) words += " house";
  CHECK_FALSE(with(words, "house\tHaus").empty());
  const auto others = engine.start("Where is the station?", {.beam = 3, .glossary = "station\tHaltestelle"});
  test::finish(engine, *others);
  CHECK(others->alternatives().size() <= 2);
  for (const std::string& other : others->alternatives()) CHECK(has(other, "Haltestelle"));
}

TEST_CASE("chance: as probable as the model says, cut as is asked, the same for a seed", "[sampling]") {
  const Vector logits = test::fake_logits({1, 2, 3}, kVocabulary);
  const auto draw = [&](const Sampling& sampling, size_t sentence, int position) {
    Vector copy = logits;
    SamplingRule(sampling, sentence, kVocabulary).apply({Tokens(position, 1)}, {{copy.data(), kVocabulary}, {}});
    CHECK(std::count(copy.begin(), copy.end(), kForbidden) == kVocabulary - 1);
    return static_cast<int>(std::max_element(copy.begin(), copy.end()) - copy.begin());
  };
  const auto counts = [&](Sampling sampling) {
    std::map<int, int> found;
    for (int i = 0; i < 20'000; ++i) {
      sampling.seed = static_cast<uint32_t>(i);
      ++found[draw(sampling, 5, 2)];
    }
    return found;
  };
  const Vector p = logits.array().exp() / logits.array().exp().sum();
  const auto all = counts({.temperature = 1});
  for (int token = 0; token < kVocabulary; ++token)
    CHECK(all.at(token) == Approx(20'000 * p[token]).margin(4 * std::sqrt(20'000 * p[token])));
  Tokens order = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  std::sort(order.begin(), order.end(), [&](int a, int b) { return p[a] > p[b]; });
  const auto three = counts({.temperature = 0.5f, .top_k = 3});
  CHECK(three.size() == 3);
  for (const auto& [token, count] : three)
    CHECK(std::find(order.begin(), order.begin() + 3, token) < order.begin() + 3);
  CHECK(static_cast<double>(three.at(order[0])) / three.at(order[1]) ==
        Approx(std::pow(p[order[0]] / p[order[1]], 2)).epsilon(0.1));
  CHECK(counts({.temperature = 1, .top_p = (p[order[0]] + p[order[1]]) * 0.99f}).size() == 2);
  CHECK(counts({.temperature = 1, .top_p = 1e-6f}).size() == 1);
  CHECK(counts({.temperature = 1e-3f}) == std::map<int, int>{{order[0], 20'000}});
  CHECK(draw({.temperature = 1, .seed = 7}, 1, 1) == draw({.temperature = 1, .seed = 7}, 1, 1));
  int same = 0;
  for (int i = 0; i < 200; ++i) same += draw({.temperature = 1}, 1, i) == draw({.temperature = 1}, 2, i);
  CHECK(same < 60);
  std::vector<float> dead(3, kForbidden);
  SamplingRule({.temperature = 1}, 0, 3).apply({}, {dead, {}});
  CHECK(dead == std::vector<float>(3, kForbidden));
}

TEST_CASE("a seed draws the same text on any number of threads, in any company", "[sampling]") {
  const std::string text = "The children are playing in the garden. Where is the station? We read a book today.";
  Engine one = test::load_engine(test::weights("en-de"), {.max_hypotheses = 1});
  Engine many = test::load_engine(test::weights("en-de"), {.threads = 3});
  const TranslateOptions drawn = {.sampling = {.temperature = 1, .top_p = 0.9f, .seed = 42}};
  const std::string expected = text_of(one, text, drawn);
  CHECK(text_of(many, text, drawn) == expected);
  TranslateOptions other = drawn;
  other.sampling.seed = 43;
  CHECK(text_of(many, text, other) != expected);
  const TranslateOptions cold = {.sampling = {.temperature = 1, .top_k = 1}};
  CHECK(text_of(many, text, cold) == text_of(many, text, {}));
}

TEST_CASE("constraints that cannot be are refused", "[glossary]") {
  Engine engine = test::load_engine(test::data("tiny-int8"));
  const auto refused = [&](const TranslateOptions& options) {
    return test::refusal([&] { engine.start("A house.", options); });
  };
  CHECK(refused({.sampling = {.temperature = -1}}) == "temperature is -1; 0..100 are allowed");
  CHECK_FALSE(refused({.sampling = {.temperature = std::nanf("")}}).empty());
  CHECK_FALSE(refused({.sampling = {.temperature = 1, .top_p = 0}}).empty());
  CHECK_FALSE(refused({.sampling = {.temperature = 1, .top_k = -1}}).empty());
  CHECK_FALSE(refused({.sampling = {.top_k = 3}}).empty());
  CHECK_FALSE(refused({.beam = 2, .sampling = {.temperature = 1}}).empty());
  CHECK_FALSE(refused({.sampling = {.temperature = 1}, .glossary = "a\tb"}).empty());
  CHECK_FALSE(refused({.prefix = "x", .whole = true, .glossary = "a\tb"}).empty());
  CHECK_FALSE(refused({.beam = 2, .next_words = 1, .glossary = "a\tb"}).empty());
  CHECK_FALSE(refused({.glossary = "no tab"}).empty());
  Engine narrow = test::load_engine(test::data("tiny-int8"), {.max_hypotheses = 1});
  CHECK_FALSE(test::refusal([&] { narrow.start("A house.", {.glossary = "a\tb"}); }).empty());
  CHECK(refused({.glossary = "a\tb"}).empty());
}
