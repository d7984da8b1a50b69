// How sure the model is of a translation, translations whose beginning is given, and what word may come next.
#include "engine/forced_text.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "base/error.h"
#include "support.h"
#include "text/annotated_text.h"
#include "text/sentence_splitter.h"
#include "text/unicode.h"

using namespace dragoman;

namespace {

const std::string kStation = "Where is the station?";

std::shared_ptr<Translation> translated(Engine& engine, const std::string& text, const TranslateOptions& options) {
  auto translation = engine.start(text, options);
  while (!translation->done()) engine.step();
  return translation;
}

std::string text_of(Engine& engine, const std::string& text, const TranslateOptions& options) {
  return translated(engine, text, options)->take_text();
}

// Of letters, blanks, signs and what is none of them.
std::string random_prefix(test::Random& random) {
  static const std::vector<std::string> parts = {"Das",
                                                 "Haus",
                                                 "a",
                                                 "e",
                                                 "n",
                                                 "W",
                                                 " ",
                                                 " ",
                                                 "  ",
                                                 "ist",
                                                 "\t",
                                                 "\n",
                                                 "\u00A0",
                                                 "\u200B",
                                                 "?",
                                                 ".",
                                                 "\"",
                                                 "\u201E",
                                                 "\u2581",
                                                 "\u00DF",
                                                 "\u1E9E",
                                                 "\uFB01",
                                                 "o\u0308",
                                                 "\u00AD",
                                                 "\u4ECA",
                                                 "\U0001F408",
                                                 "\uFFFD",
                                                 "\xFF",
                                                 "\xED\xA0\x80",
                                                 "\xF0\x9F",
                                                 "<0x41>",
                                                 "<unk>",
                                                 "</s>",
                                                 std::string("\0", 1),
                                                 "\x01"};
  std::string text;
  for (int i = random.integer(0, 12); i > 0; --i) text += parts[random.integer(0, static_cast<int>(parts.size()) - 1)];
  return text;
}

}  // namespace

TEST_CASE("scores: pieces make words and sentences, of the ranges that the alignment has", "[scores]") {
  Engine engine = test::load_engine(test::weights("en-de"));
  const std::string text =
      "Where is the station? 42 \U0001F408\nThe house is small, isn't it? DO NOT ENTER THIS HOUSE!";
  for (const int beam : {1, 4}) {
    const auto translation = translated(engine, text, {.beam = beam, .alignment = true, .scores = true});
    const Scores scores = translation->scores();
    const Alignment alignment = translation->alignment();
    CHECK(scores.sentences.target == alignment.sentences.target);
    CHECK(scores.words.target == alignment.words.target);
    CHECK(scores.pieces.target == alignment.pieces.target);
    const auto sum = [](const ScoredParts& parts, TextRange range) {
      double total = 0;
      for (size_t i = 0; i < parts.target.size(); ++i)
        if (range.begin < parts.target[i].end && parts.target[i].begin < range.end) total += parts.log_probabilities[i];
      return total;
    };
    for (size_t i = 0; i < scores.words.target.size(); ++i) {
      CHECK(scores.words.log_probabilities[i] <= 0);
      CHECK(scores.words.log_probabilities[i] == Approx(sum(scores.pieces, scores.words.target[i])).margin(1e-5));
    }
    double total = 0;
    for (size_t i = 0; i < scores.sentences.target.size(); ++i) {
      const double pieces = sum(scores.pieces, scores.sentences.target[i]), all = scores.sentences.log_probabilities[i];
      CHECK(all <= pieces);  // its end is not certain either
      CHECK(all > pieces - 1);
      total += all;
    }
    CHECK(translation->log_probability() == Approx(total).margin(1e-5));
    CHECK(translation->take_text() == text_of(engine, text, {.beam = beam}));
  }
  CHECK(translated(engine, text, {.alignment = true})->scores().words.target.empty());
  const Scores passed = translated(engine, "42 \U0001F408", {.scores = true})->scores();
  CHECK(passed.words.target == std::vector<TextRange>{{0, 2}, {3, 5}});
  CHECK(passed.words.log_probabilities == std::vector<double>{0, 0});
  CHECK(passed.pieces.target.empty());
}

TEST_CASE("a translation that is given is as probable as when the search writes it", "[scores]") {
  Engine engine = test::load_engine(test::weights("en-de"));
  for (const std::string& text : {kStation, std::string("The children are playing in the garden, aren't they?"),
                                  std::string("WHERE IS THE STATION? "), std::string("7")}) {
    const auto found = translated(engine, text, {.beam = text == "7" ? 1 : 4, .scores = true});
    const std::string target = found->take_text();
    const auto given = translated(engine, text, {.scores = true, .prefix = target, .whole = true});
    if (text != "7" && !text.starts_with("WHERE")) {  // as capitals do not tell how the model wrote it
      CHECK(given->scores().pieces.target == found->scores().pieces.target);
      CHECK(given->log_probability() == Approx(found->log_probability()).margin(1e-4));
    }
    CHECK(given->take_text() == target);
    const auto other = translated(engine, text, {.scores = true, .prefix = "Eine Katze.", .whole = true});
    CHECK(other->log_probability() < given->log_probability() - 2);
    CHECK(other->scores().words.target.size() == 3);
  }
  CHECK(translated(engine, kStation, {.scores = true, .whole = true})->log_probability() < -2);
}

TEST_CASE("a translation begins with its prefix, whatever that is made of", "[prefix]") {
  test::Random random(7);
  const bool real = GENERATE(false, true);
  Engine engine = test::load_engine(real ? test::weights("en-de") : test::data("tiny-int8"), {.threads = 2});
#ifdef __SANITIZE_ADDRESS__
  const int runs = 60;
#else
  const int runs = real ? 100 : 400;
#endif
  for (int i = 0; i < runs; ++i) {
    const std::string prefix = random_prefix(random);
    const std::string text = i % 5 ? "The garden is large." : i % 2 ? "THE GARDEN IS LARGE." : " 42 ";
    const TranslateOptions options = {
        .beam = 1 + i % 3, .alignment = i % 2 == 0, .scores = i % 4 == 0, .prefix = prefix, .next_words = i % 7 == 0};
    INFO(i << ": " << prefix);
    if (prefix.empty() && !options.next_words) continue;
    const auto translation = engine.start(text, options);
    std::string shown;
    while (!translation->done()) {
      engine.step();
      shown += translation->take_text();
      REQUIRE(sanitize_utf8(shown) == shown);
    }
    const std::string given = sanitize_utf8(prefix);
    const TextRange visible = trim(given, {0, given.size()});
    const std::string sentence = shown.substr(trim(shown, {0, shown.size()}).begin);
    REQUIRE(sentence.starts_with(given.substr(visible.begin, visible.size())));
    if (!options.alignment) continue;
    const AnnotatedText target = translation->annotated_target();
    REQUIRE(target.text == shown);
    size_t end = target.sentences.front().begin;
    for (const TextRange& piece : target.pieces) {
      REQUIRE(piece.begin == end);
      REQUIRE(piece.end >= piece.begin);
      end = piece.end;
    }
    if (!target.pieces.empty()) CHECK(end == target.sentences.front().end);
  }
}

TEST_CASE("what follows a prefix fits it: words are finished, blanks kept, the rest is as it would have been",
          "[prefix]") {
  Engine engine = test::load_engine(test::weights("en-de"));
  const auto with = [&](const std::string& prefix, int beam = 4) {
    return text_of(engine, kStation, {.beam = beam, .prefix = prefix});
  };
  const std::string free = text_of(engine, kStation, {.beam = 4});
  CHECK(free == "Wo ist der Bahnhof?");
  for (size_t size = 1; size <= free.size(); ++size) CHECK(with(free.substr(0, size)) == free);
  CHECK(with("Wo ist der Bahnh", 1) == free);
  CHECK(with("  Wo  ist ").starts_with("Wo  ist der "));
  CHECK(with("\U0001F408 Wo ist").starts_with("\U0001F408 Wo ist "));
  CHECK(with("An welchem Ort ").starts_with("An welchem Ort "));
  CHECK(text_of(engine, "WHERE IS THE STATION?", {.beam = 4, .prefix = "WO LIEGT "}).starts_with("WO LIEGT DER "));
  const std::string repeated(150, 'h');
  CHECK(with(repeated).starts_with(repeated));
  std::string words;
  for (int i = 0; i < 60; ++i) words += "nein ";
  CHECK(with(words).starts_with(words));
}

TEST_CASE("next words: likeliest first, each with all of its pieces", "[prefix]") {
  Engine engine = test::load_engine(test::weights("en-de"));
  const auto next = [&](const std::string& prefix) {
    return translated(engine, kStation, {.beam = 8, .prefix = prefix, .next_words = 6})->next_words();
  };
  CHECK(next("").front().text == "Wo");
  CHECK(next("Wo ist der ").front().text == "Bahnhof");
  CHECK(next("Wo ist der Bahnh").front().text == "of");
  CHECK(next("Wo ist der Bahnhof").front().text == "?");
  CHECK(next("Wo ist der Bahnhof?").front().text == "");
  CHECK(next("Wo ist der").front().text == " Bahnhof");
  for (const std::string prefix : {"", "Wo ", "Wo ist der ", "Wo ist d", "Gibt es dort ein"}) {
    const auto found = next(prefix);
    REQUIRE(found.size() == 6);
    double sum = 0;
    for (size_t i = 0; i < found.size(); ++i) {
      sum += found[i].probability;
      if (i > 0) CHECK(found[i].probability <= found[i - 1].probability);
      // The choice is a prefix to go on with.
      CHECK(text_of(engine, kStation, {.prefix = prefix + found[i].text}).starts_with(prefix + found[i].text));
    }
    CHECK(sum > 0.3);
    CHECK(sum < 1.0001);
  }
  // By hand: the word is its pieces, and then all that does not make it longer.
  const auto scored = translated(engine, kStation, {.scores = true, .prefix = "Wo", .whole = true});
  const double first = std::exp(scored->scores().pieces.log_probabilities.front());
  const NextWord word = next("").front();
  CHECK(word.probability < first);
  CHECK(word.probability > 0.9 * first);
}

TEST_CASE("prefixes that cannot be are refused", "[prefix]") {
  Engine engine = test::load_engine(test::data("tiny-int8"));
  const auto refused = [&](const std::string& text, const TranslateOptions& options) {
    return test::refusal([&] { engine.start(text, options); });
  };
  CHECK(refused("One. Two.", {.prefix = "x"}).starts_with("the text has 2 sentences"));
  CHECK(refused(" \n", {.prefix = "x"}).starts_with("the text has 0 sentences"));
  CHECK(refused("", {.beam = 2, .next_words = 2}).starts_with("the text has 0 sentences"));
  CHECK(refused("A house.", {.prefix = std::string(1 << 20, 'x')}).find("1048576 bytes") != std::string::npos);
  CHECK(refused("A house.", {.prefix = std::string(8000, 'x')}).find(" pieces; 256 are the most") != std::string::npos);
  std::string longer = "house";
  for (int i = 0; i < 80; ++i) longer += " house";
  CHECK(refused(longer, {.prefix = "x"}).find("127 are the most") != std::string::npos);
  CHECK(refused("A house.", {.beam = 2, .next_words = 3}) == "next_words is 3; 0..2 are allowed: the beam");
  CHECK(refused("A house.", {.next_words = -1}) == "next_words is -1; 0..1 are allowed: the beam");
  CHECK_FALSE(refused("A house.", {.whole = true, .next_words = 1}).empty());
  CHECK(refused("A house.", {.prefix = " "}).empty());
}

TEST_CASE("with a prefix the whole vocabulary is chosen among", "[prefix]") {
  ModelFiles files = {.config = R"({"source_language": "en", "target_language": "de"})",
                      .weights = test::read_bytes(test::data("tiny-marian/model.ende.intgemm.alphas.bin")),
                      .vocabulary = test::read_text(test::data("tiny-ssru/source.spm")),
                      .target_vocabulary = test::read_text(test::data("tiny-ssru/target.spm")),
                      .shortlist = test::read_bytes(test::data("tiny-marian/lex.ende.s2t.bin"))};
  Engine engine(std::move(files));
  for (const std::string prefix : {"Das Haus", "Zebra \U0001F408 q"})
    CHECK(text_of(engine, "The house is large.", {.prefix = prefix}).starts_with(prefix));
}
