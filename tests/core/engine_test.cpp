#include "engine/engine.h"

#include <catch2/catch.hpp>

#include "base/error.h"
#include "support.h"
#include "text/capitals.h"
#include "text/unicode.h"

using namespace dragoman;

namespace {

std::string translate(Engine& engine, const std::string& text) {
  const auto translation = engine.start(text);
  return test::finish(engine, *translation);
}

std::string repeated(const std::string& part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

}  // namespace

TEST_CASE("text without anything to translate comes back unchanged", "[engine]") {
  Engine engine = test::load_engine(test::weights("en-de"));
  for (const std::string& text : {std::string(), std::string(" "), std::string(" \n\t \r\n"), std::string("\0", 1),
                                  std::string("\xF0\x9F\x99\x82"), std::string("42"), std::string("--- 7 ---\n"),
                                  std::string("\xE2\x80\x8B\xC2\xA0")}) {
    const auto translation = engine.start(text);
    CHECK(translation->done());
    CHECK(translation->take_text() == text);
  }
  CHECK_FALSE(engine.step());
}

TEST_CASE("data between sentences comes back unchanged", "[engine]") {
  Engine engine = test::load_engine(test::weights("en-de"));
  const std::string key = repeated("aGVsbG8/", 125'000);
  CHECK(translate(engine, key) == key);
  CHECK(translate(engine, "Good morning! " + key + "\nGood morning!") == "Guten Morgen! " + key + "\nGuten Morgen!");
  // The words around it are a sentence each.
  const std::string within = translate(engine, "The key " + key + " is long.");
  CHECK(within.find(' ' + key + ' ') != std::string::npos);
}

TEST_CASE("layout is kept: blanks, line breaks, numbers between sentences", "[engine]") {
  Engine engine = test::load_engine(test::weights("en-de"));
  CHECK(translate(engine, "  Good morning!\n\n\tHow old are you?  \n42\n") ==
        "  Guten Morgen!\n\n\t" + translate(engine, "How old are you?") + "  \n42\n");
}

TEST_CASE("a sentence in capitals is translated as one in small letters", "[engine]") {
  Engine engine = test::load_engine(test::weights("en-de"));
  const auto translation = engine.start("WHERE IS THE STATION? Where is NASA?");
  std::string joined;
  while (engine.step()) joined += translation->take_text();
  CHECK(joined + translation->take_text() ==
        raise_to_capitals(translate(engine, "Where is the station?")) + ' ' + translate(engine, "Where is NASA?"));
}

TEST_CASE("hostile text gets an answer", "[engine]") {
  Engine engine = test::load_engine(test::data("tiny-int8"));
  for (const std::string& text :
       {repeated("x", 10000), repeated("\xF0\x9F\x99\x82", 500) + "a", std::string("Good\0morning", 12),
        std::string("a\xFF\xC3(b \xED\xA0\x80 c"), repeated("\xEF\xB7\xBA", 300), repeated("a. ", 500),
        repeated("\xCC\x81", 1000) + "e", repeated("(", 3000) + "word" + repeated(")", 3000)}) {
    const std::string out = translate(engine, text);
    CHECK(sanitize_utf8(out) == out);
    CHECK(!out.empty());
  }
}

TEST_CASE("a long text is worked through in bounded memory and order", "[engine]") {
  Engine engine = test::load_engine(test::data("tiny-int8"));
  std::string text;
  for (int i = 0; text.size() < 60'000; ++i) text += "The garden number " + std::to_string(i) + " is large.\n";
  const auto translation = engine.start(text);
  std::string out;
  while (engine.step()) out += translation->take_text();
  out += translation->take_text();
  CHECK(translation->done());
  CHECK(std::count(out.begin(), out.end(), '\n') == std::count(text.begin(), text.end(), '\n'));
  CHECK(translation->sentences_done() == translation->sentences());
}

TEST_CASE("text comes in pieces that add up, whole characters only", "[engine]") {
  Engine engine = test::load_engine(test::weights("en-de"));
  const std::string text = "The weather is beautiful today. We are going to the beach tomorrow. She has two brothers.";
  const std::string whole = translate(engine, text);
  const auto translation = engine.start(text);
  std::string joined;
  int updates = 0;
  while (engine.step()) {
    const std::string part = translation->take_text();
    CHECK(sanitize_utf8(part) == part);
    updates += !part.empty();
    joined += part;
  }
  CHECK(joined + translation->take_text() == whole);
  CHECK(updates > 5);
}

TEST_CASE("a translation does not depend on what is translated beside it", "[engine]") {
  const std::vector<std::string> texts = {"Good morning!", "The children are playing in the garden. It is warm.",
                                          "My computer is broken.", "He did not know what to say.",
                                          repeated("Can you help me, please? ", 30)};
  Engine alone = test::load_engine(test::weights("en-de"), {.max_hypotheses = 1});
  Engine together = test::load_engine(test::weights("en-de"));
  std::vector<std::shared_ptr<Translation>> running;
  for (const auto& text : texts) running.push_back(together.start(text));
  while (together.step()) {
  }
  for (size_t i = 0; i < texts.size(); ++i) CHECK(running[i]->take_text() == translate(alone, texts[i]));
}

TEST_CASE("texts take turns: a short one does not wait for a long one", "[engine]") {
  Engine engine = test::load_engine(test::data("tiny-int8"));
  const auto longer = engine.start(repeated("The garden is large.\n", 2000));
  for (int i = 0; i < 5; ++i) engine.step();
  const auto shorter = engine.start("Where is the garden?");
  int steps = 0;
  while (!shorter->done() && steps < 2000) {
    engine.step();
    ++steps;
  }
  CHECK(shorter->done());
  CHECK_FALSE(longer->done());
}

TEST_CASE("letting go of a translation cancels it", "[engine]") {
  Engine engine = test::load_engine(test::data("tiny-int8"));
  auto cancelled = engine.start(repeated("The garden is large.\n", 2000));
  for (int i = 0; i < 5; ++i) engine.step();
  cancelled.reset();
  CHECK_FALSE(engine.step());
  const auto next = engine.start("Where is the garden?");
  CHECK(!test::finish(engine, *next).empty());
}

TEST_CASE("a vocabulary that does not fit the model is an error", "[engine]") {
  const std::string folder = test::data("tiny-int8");
  try {
    ModelFiles files = test::read_model(folder);
    files.vocabulary = test::read_text(test::weights("en-de/vocab.spm"));
    Engine engine(std::move(files));
    FAIL("accepted");
  } catch (const Error& e) {
    CHECK(e.code() == ErrorCode::kBadVocabulary);
  }
}

TEST_CASE("scores are log-probabilities", "[engine]") {
  Engine engine = test::load_engine(test::weights("en-de"));
  const auto translation = engine.start("Good morning!", {.scores = true});
  test::finish(engine, *translation);
  CHECK(translation->log_probability() < 0);
  CHECK(translation->log_probability() > -5);
  CHECK(translation->tokens() == 4);
}

TEST_CASE("options that cannot be are refused", "[engine]") {
  const auto code_of = [](const auto& refused) {
    try {
      refused();
    } catch (const Error& e) {
      return std::string(code_name(e.code())) + ": " + e.what();
    }
    return std::string();
  };
  const auto with = [&](const EngineOptions& options) {
    return code_of([&] { test::load_engine(test::data("tiny-int8"), options); });
  };
  CHECK(with({.max_hypotheses = 2, .threads = 2}) == "");
  CHECK(with({.max_hypotheses = 2, .threads = 3}) == "invalid-argument: threads is 3; 1..2 are allowed");
  CHECK(with({.threads = 0}) == "invalid-argument: threads is 0; 1..16 are allowed");
  CHECK(with({.max_hypotheses = 0}) == "invalid-argument: max_hypotheses is 0; 1..16 are allowed");
  CHECK(with({.max_hypotheses = 17}) == "invalid-argument: max_hypotheses is 17; 1..16 are allowed");
  Engine engine = test::load_engine(test::data("tiny-int8"), {.max_hypotheses = 4});
  for (const int beam : {-1, 0, 5})
    CHECK(code_of([&] { engine.start("A garden.", {.beam = beam}); }) ==
          "invalid-argument: beam is " + std::to_string(beam) + "; 1..4 are allowed");
}
