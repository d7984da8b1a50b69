#include "text/word_pieces.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "support.h"
#include "text/tokenizer.h"
#include "text/unicode.h"

using namespace dragoman;
using nlohmann::json;

namespace {

const json& goldens() {
  static const json content = test::read_json(test::data("word-pieces.json"));
  return content["languages"];
}

std::string with_line(std::string file, const std::string& line, const std::string& other) {
  const size_t at = file.find(line);
  REQUIRE(at != file.npos);
  return file.replace(at, line.size(), other);
}

}  // namespace

TEST_CASE("texts become the pieces of Moses' and subword-nmt's rules, and text again", "[text]") {
  for (const json& language : goldens()) {
    const auto vocabulary = language["vocabulary"].get<std::string>();
    const Tokenizer tokenizer(vocabulary);
    const WordPieces pieces(vocabulary);
    CHECK(tokenizer.eos() == 2);
    CHECK(tokenizer.unknown() == 3);
    for (const json& example : language["cases"]) {
      const auto text = example["text"].get<std::string>();
      INFO(language["language"].get<std::string>() << ": " << text);
      std::vector<TextRange> ranges;
      const std::vector<int> ids = tokenizer.encode(text, &ranges);
      CHECK(ids == example["ids"].get<std::vector<int>>());
      REQUIRE(ranges.size() == ids.size());
      for (size_t i = 0; i < ranges.size(); ++i) {
        CHECK(ranges[i].begin == (i == 0 ? 0 : ranges[i - 1].end));
        CHECK(complete_prefix(text.substr(0, ranges[i].end)) == ranges[i].end);
      }
      if (!ranges.empty()) CHECK(ranges.back().end == text.size());

      Detokenizer written(tokenizer, true);
      std::string shown;
      for (const int id : ids) {
        written.append(id);
        CHECK(written.text().starts_with(shown));
        shown = written.text();
      }
      written.append(tokenizer.eos());
      written.finish();
      CHECK(written.text() == example["joined"].get<std::string>());
      REQUIRE(written.ranges().size() == ids.size() + 1);
      CHECK(written.ranges().back().end == written.text().size());
    }
  }
}

TEST_CASE("each piece of a word has its own letters, an escaped character as a whole", "[text]") {
  const Tokenizer tokenizer(goldens()[0]["vocabulary"].get<std::string>());
  std::vector<TextRange> ranges;
  const std::string text = " Don't \u00AB";
  const std::vector<int> ids = tokenizer.encode(text, &ranges);
  REQUIRE(ids.size() >= 3);
  const auto apostrophe = static_cast<size_t>(text.find('\''));
  bool found = false;  // of the pieces of "&apos;t" one ends behind the apostrophe or holds it whole
  for (const TextRange& range : ranges) {
    found |= range.begin <= apostrophe && apostrophe < range.end;
    CHECK(range.begin <= range.end);
  }
  CHECK(found);
}

TEST_CASE("a damaged vocabulary of word pieces is refused", "[text]") {
  const auto good = goldens()[0]["vocabulary"].get<std::string>();
  REQUIRE(WordPieces::is_one(good));
  const auto refused = [](const std::string& file) {
    try {
      const Tokenizer tokenizer(file);
    } catch (const Error& e) {
      return e.code() == ErrorCode::kBadVocabulary;
    }
    return false;
  };
  CHECK(refused(with_line(good, "eos 2", "eos 999999")));
  CHECK(refused(with_line(good, "eos 2", "eos -1")));
  CHECK(refused(with_line(good, "unknown 3", "unknown")));
  CHECK(refused(with_line(good, "pieces ", "pieces 9")));
  CHECK(refused(with_line(good, "merges ", "merges 99")));
  CHECK(refused(with_line(good, "merges 1", "merges 0")));
  CHECK(refused(with_line(good, "language", "langage")));
  CHECK(refused(good + "more\n"));
  CHECK(refused(with_line(good, "language en", "language \xC3")));
  for (size_t size = 23; size < good.size(); size += 97) CHECK(refused(good.substr(0, size)));
}
