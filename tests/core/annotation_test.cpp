// Ranges of sentences, words and pieces: what they cover, for any text.
#include <algorithm>
#include <catch2/catch.hpp>

#include "support.h"
#include "text/annotated_text.h"
#include "text/capitals.h"
#include "text/tokenizer.h"
#include "text/unicode.h"

using namespace dragoman;

namespace {

using Parts = std::vector<std::string>;
using Ranges = std::vector<TextRange>;

std::string utf8(char32_t c) {
  const auto tail = [c](int shift) { return static_cast<char>(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xC0 | c >> 6), tail(0)};
  if (c < 0x10000) return {static_cast<char>(0xE0 | c >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | c >> 18), tail(12), tail(6), tail(0)};
}

// Text of all that may go wrong: what normalisation expands, joins or drops, blanks of all kinds, other scripts, signs
// in several parts, ill-formed bytes, capitals, sentences.
std::string random_text(test::Random& random) {
  static const Parts odd = {"\uFB01",
                            "\uFB03",
                            "\uFF2B",
                            "\u00BD",
                            "\u2122",
                            "\uFDFA",
                            "\u3300",
                            "o\u0308",
                            "e\u0301\u0323",
                            "\u00C5",
                            "\u1E9E",
                            "\u00DF",
                            "\u0130",
                            "\u4ECA\u65E5\u306F",
                            "\u3002",
                            "\uFF01",
                            "\uD55C\uAD6D",
                            "\u0E01\u0E32",
                            "\u0645\u0631\u062D",
                            "\U0001F408",
                            "\U0001F469\u200D\U0001F467",
                            "\U0001F44D\U0001F3FD",
                            "\u2764\uFE0F",
                            "\U0001D4D0",
                            "\u2581",
                            "\uFFFD",
                            "\u00A0",
                            "\u3000",
                            "\u200B",
                            "\uFEFF",
                            "\u00AD",
                            "\t",
                            "\n",
                            "\r\n",
                            "\x01",
                            "\x7F",
                            "\u0085",
                            "\u00A8",
                            "\xFF",
                            "\xC3",
                            "\xE2\x82",
                            "\xF0\x9F\x98",
                            "\xED\xA0\x80",
                            "\xC0\xAF",
                            "\x80",
                            ". ",
                            "! ",
                            "? \"",
                            "...",
                            "Dr. ",
                            "7",
                            "3.14",
                            "<0x41>",
                            "</s>",
                            "<unk>"};
  static const Parts words = {"The",        "garden", "is",         "large", "Haus", "gr\u00F6\u00DFer",
                              "\u00C4pfel", "don't",  "well-known", "x"};
  std::string text;
  const bool capitals = random.integer(0, 4) == 0;
  for (int n = random.integer(0, 30); n > 0; --n) {
    switch (random.integer(0, 5)) {
      case 0:
        text += odd[random.integer(0, static_cast<int>(odd.size()) - 1)];
        break;
      case 1:
        text += static_cast<char>(random.integer(0, 255));
        break;
      case 2: {
        const int c = random.integer(0, 0x3FFFF);
        text += utf8(0xD800 <= c && c < 0xE000 ? U'?' : static_cast<char32_t>(c));
        break;
      }
      default: {
        const std::string& word = words[random.integer(0, static_cast<int>(words.size()) - 1)];
        text += (capitals ? raise_to_capitals(word) : word) + (random.integer(0, 3) ? " " : "");
      }
    }
  }
  return text;
}

// Where characters of any bytes begin, and the end: offsets in the text, after sanitising it, and in UTF-16.
struct Offsets {
  std::vector<size_t> text, clean, utf16;
  explicit Offsets(const std::string& bytes) {
    for (size_t at = 0, clean_at = 0, units = 0;;) {
      text.push_back(at);
      clean.push_back(clean_at);
      utf16.push_back(units);
      if (at == bytes.size()) return;
      // The longest sequence that sanitising takes for one character.
      size_t n = std::min<size_t>(4, bytes.size() - at);
      const auto is_one = [&] {
        const std::string part = sanitize_utf8(bytes.substr(at, n));
        size_t first = 0;
        next_code_point(part, first);
        return first == part.size();
      };
      while (!is_one()) --n;
      const std::string part = sanitize_utf8(bytes.substr(at, n));
      at += n;
      clean_at += part.size();
      units += part.size() == 4 ? 2 : 1;
    }
  }
  bool has(size_t offset) const { return std::binary_search(text.begin(), text.end(), offset); }
  size_t place(size_t offset) const { return std::lower_bound(text.begin(), text.end(), offset) - text.begin(); }
};

void require_tiling(std::span<const TextRange> ranges, TextRange whole) {
  REQUIRE(ranges.front().begin == whole.begin);
  for (size_t i = 0; i < ranges.size(); ++i) {
    REQUIRE(ranges[i].begin <= ranges[i].end);
    REQUIRE(ranges[i].end == (i + 1 < ranges.size() ? ranges[i + 1].begin : whole.end));
  }
}

void require_blank(std::string_view text) {
  for (size_t at = 0; at < text.size();) REQUIRE(is_blank(next_code_point(text, at)));
}

// What holds for every annotated text, of valid UTF-8 or not.
void check(const AnnotatedText& annotated) {
  const Offsets offsets(annotated.text);
  const auto text = [&](size_t begin, size_t end) {
    return std::string_view(annotated.text).substr(begin, end - begin);
  };
  REQUIRE(annotated.first_piece.size() == annotated.sentences.size() + 1);
  REQUIRE(annotated.first_piece.back() == annotated.pieces.size());
  size_t end = 0;
  for (size_t i = 0; i < annotated.sentences.size(); ++i) {
    const TextRange sentence = annotated.sentences[i];
    REQUIRE(end <= sentence.begin);
    REQUIRE(sentence.begin <= sentence.end);
    require_blank(text(end, sentence.begin));
    end = sentence.end;
    if (!annotated.pieces_of(i).empty()) require_tiling(annotated.pieces_of(i), sentence);
  }
  require_blank(text(end, annotated.text.size()));
  for (const Ranges* ranges : {&annotated.sentences, &annotated.pieces}) {
    Ranges utf16 = *ranges;
    to_utf16(annotated.text, utf16);
    for (size_t i = 0; i < ranges->size(); ++i) {
      const TextRange range = (*ranges)[i];
      REQUIRE(offsets.has(range.begin));
      REQUIRE(offsets.has(range.end));
      REQUIRE(utf16[i] ==
              TextRange{offsets.utf16[offsets.place(range.begin)], offsets.utf16[offsets.place(range.end)]});
    }
  }
}

Parts parts(const std::string& text, std::span<const TextRange> ranges) {
  Parts found;
  for (const TextRange& range : ranges) found.push_back(text.substr(range.begin, range.size()));
  return found;
}

Tokenizer load_tokenizer(const std::string& folder) { return Tokenizer(test::read_text(folder + "/vocab.spm")); }

}  // namespace

TEST_CASE("pieces tile what they were read from, whatever it is", "[annotation]") {
  test::Random random(31);
  for (const std::string& folder : {test::data("tiny-int8"), test::weights("en-de")}) {
    const Tokenizer tokenizer = load_tokenizer(folder);
    for (int run = 0; run < 2000; ++run) {
      const std::string text = sanitize_utf8(random_text(random));
      Ranges ranges = {{7, 7}};
      const auto ids = tokenizer.encode(text, &ranges);
      REQUIRE(ids == tokenizer.encode(text));
      REQUIRE(ids.size() == ranges.size());
      if (ids.empty()) continue;
      require_tiling(ranges, {0, text.size()});
      const Offsets offsets(text);
      for (const TextRange& range : ranges) REQUIRE(offsets.has(range.begin));
    }
  }
}

TEST_CASE("pieces are found in the text as it came", "[annotation]") {
  const Tokenizer tokenizer = load_tokenizer(test::data("tiny-int8"));
  const auto pieces = [&](const std::string& text) {
    Ranges ranges;
    tokenizer.encode(text, &ranges);
    return parts(text, ranges);
  };
  CHECK(pieces("") == Parts{});
  CHECK(pieces("Das Haus") == Parts{"D", "as", " Haus"});
  CHECK(pieces("  Das \u00A0 Haus ") == Parts{"  D", "as", " \u00A0 Haus "});
  CHECK(pieces("\uFF24\uFF41\uFF53") == Parts{"\uFF24", "\uFF41\uFF53"});  // full width
  // A cat of four bytes belongs to the last of them.
  CHECK(pieces("Das \U0001F408") == Parts{"D", "as", " ", "", "", "", "\U0001F408"});
  // A ligature becomes two letters, an o and its dots one.
  const Parts ligature = pieces("\uFB01"), letters = pieces("fi");
  CHECK(ligature.size() == letters.size());
  CHECK(ligature.back() == "\uFB01");
  CHECK(pieces("scho\u0308n").size() == pieces("sch\u00F6n").size());
}

TEST_CASE("what is read and written again has its pieces where they were", "[annotation]") {
  for (const std::string& folder : {test::data("tiny-int8"), test::weights("en-de"), test::weights("de-en")}) {
    const Tokenizer tokenizer = load_tokenizer(folder);
    for (const std::string text :
         {"The house is small, but the garden is large.", "Wo ist der Bahnhof?", "\u00C4pfel & \u00D6l \u2013 9:45!",
          "Katze \U0001F408 \u4F60\u597D", "\U0001F408", "a"}) {
      Ranges read;
      Detokenizer written(tokenizer, true);
      for (const int id : tokenizer.encode(text, &read)) written.append(id);
      written.finish();
      CHECK(written.text() == text);
      CHECK(written.ranges() == read);
    }
  }
}

TEST_CASE("pieces tile what they have written, whatever it is", "[annotation]") {
  test::Random random(32);
  const Tokenizer tokenizer = load_tokenizer(test::data("tiny-int8"));
  for (int run = 0; run < 500; ++run) {
    Detokenizer plain(tokenizer), annotated(tokenizer, true);
    const int count = random.integer(0, 40);
    for (int i = 0; i < count; ++i) {
      // Often byte pieces: 2..257.
      const int id = random.integer(0, 1) ? random.integer(2, 257) : random.integer(0, tokenizer.size() - 1);
      plain.append(id);
      annotated.append(id);
      require_tiling(annotated.ranges(), {0, annotated.text().size()});
    }
    plain.finish();
    annotated.finish();
    REQUIRE(annotated.text() == plain.text());
    REQUIRE(plain.ranges().empty());
    REQUIRE(annotated.ranges().size() == static_cast<size_t>(count));
    if (count == 0) continue;
    require_tiling(annotated.ranges(), {0, annotated.text().size()});
    const Offsets offsets(annotated.text());
    for (const TextRange& range : annotated.ranges()) REQUIRE(offsets.has(range.begin));
  }
}

TEST_CASE("capitals keep the places of what they are raised from", "[annotation]") {
  test::Random random(33);
  for (int run = 0; run < 500; ++run) {
    const std::string text = sanitize_utf8(random_text(random)), raised = raise_to_capitals(text);
    REQUIRE(raised.size() == text.size());
    REQUIRE(lower_capitals(text).size() == text.size());
    REQUIRE(sanitize_utf8(raised) == raised);
    const Offsets before(text), after(raised);
    for (const size_t offset : before.text)
      REQUIRE(after.has(offset));  // where "SS" was one character, there is one more
  }
}

TEST_CASE("both texts of any translation are tiled", "[annotation]") {
  test::Random random(34);
  Engine engine = test::load_engine(test::data("tiny-int8"));
  const auto tokenizer = load_tokenizer(test::data("tiny-int8"));
  int with_pieces = 0, ill_formed = 0;
  for (int run = 0; run < 400; ++run) {
    const std::string text = random_text(random);
    const auto translation = engine.start(text, {.beam = run % 8 ? 1 : 3, .annotate = true});
    const std::string out = test::finish(engine, *translation);
    const AnnotatedText source = translation->annotated_source(), target = translation->annotated_target();
    REQUIRE(source.text == text);
    REQUIRE(target.text == out);
    check(source);
    check(target);
    REQUIRE(source.sentences.size() == target.sentences.size());
    REQUIRE(target.pieces.size() == static_cast<size_t>(translation->tokens()));
    for (size_t i = 0; i < source.sentences.size(); ++i) {
      const std::string sentence = sanitize_utf8(text.substr(source.sentences[i].begin, source.sentences[i].size()));
      const std::string read = is_in_capitals(sentence) ? lower_capitals(sentence) : sentence;
      if (source.pieces_of(i).empty()) continue;
      ++with_pieces;
      REQUIRE(source.pieces_of(i).size() == tokenizer.encode(read).size());
    }
    ill_formed += sanitize_utf8(text) != text;
  }
  CHECK(with_pieces > 400);
  CHECK(ill_formed > 100);
}

TEST_CASE("a sentence that passes unchanged has no pieces, and nobody has who did not ask", "[annotation]") {
  Engine engine = test::load_engine(test::weights("en-de"));
  const std::string text = " 42\nGood \xFF morning! " + std::string(3000, 'x');
  for (const bool annotate : {true, false}) {
    const auto translation = engine.start(text, {.annotate = annotate});
    test::finish(engine, *translation);
    const AnnotatedText source = translation->annotated_source(), target = translation->annotated_target();
    CHECK(source.sentences.size() == 3);
    CHECK(source.pieces_of(0).empty());
    CHECK(target.pieces_of(2).empty());
    CHECK(source.pieces.empty() == !annotate);
    CHECK(target.pieces.empty() == !annotate);
    CHECK(source.text == (annotate ? text : sanitize_utf8(text)));
    CHECK(target.text.substr(target.sentences[0].begin, target.sentences[0].size()) == "42");
  }
}

TEST_CASE("a sentence too long for the model is two, each tiled", "[annotation]") {
  Engine engine = test::load_engine(test::data("tiny-int8"));
  std::string text;
  for (int i = 0; i < 40; ++i) text += "\U0001F408\uFB01 ";  // many pieces in few bytes
  const auto translation = engine.start(text, {.annotate = true});
  test::finish(engine, *translation);
  CHECK(translation->sentences() > 1);
  check(translation->annotated_source());
  check(translation->annotated_target());
  for (size_t i = 0; i < translation->sentences(); ++i)
    CHECK(translation->annotated_source().pieces_of(i).size() < 128);
}

TEST_CASE("capitals on both sides", "[annotation]") {
  Engine engine = test::load_engine(test::weights("en-de"));
  const auto capitals = engine.start("WHERE IS THE STREET?", {.annotate = true});
  const auto small = engine.start("Where is the street?", {.annotate = true});
  test::finish(engine, *capitals);
  test::finish(engine, *small);
  CHECK(capitals->annotated_source().pieces == small->annotated_source().pieces);
  CHECK(capitals->annotated_target().pieces == small->annotated_target().pieces);
  // Of "Stra\u00DFe" the next letter stands one unit later in capitals.
  AnnotatedText raised = capitals->annotated_target(), plain = small->annotated_target();
  CHECK(raised.text == raise_to_capitals(plain.text));
  REQUIRE(plain.text.find("\u00DF") != std::string::npos);
  to_utf16(raised.text, raised.pieces);
  to_utf16(plain.text, plain.pieces);
  CHECK(raised.pieces.back().end == plain.pieces.back().end + 1);
}

TEST_CASE("words", "[annotation]") {
  const auto words_of = [](const std::string& text) { return parts(text, words(text, {0, text.size()})); };
  CHECK(words_of("") == Parts{});
  CHECK(words_of(" \t\u00A0") == Parts{});
  CHECK(words_of("It isn't \u201Cwell-known\u201D, is it?") ==
        Parts{"It", "isn't", "\u201C", "well-known", "\u201D", ",", "is", "it", "?"});
  CHECK(words_of("z.B. 3.14, 1,000 at 9:45: www.example.org.") ==
        Parts{"z.B", ".", "3.14", ",", "1,000", "at", "9:45", ":", "www.example.org", "."});
  CHECK(words_of("Ja,nein -- gr\u00F6\u00DFer- e\u0301") ==
        Parts{"Ja", ",", "nein", "-", "-", "gr\u00F6\u00DFer", "-", "e\u0301"});
  CHECK(words_of("\u4ECA\u65E5abc\u3002") == Parts{"\u4ECA", "\u65E5", "abc", "\u3002"});
  CHECK(words_of("\U0001F44D\U0001F3FD\U0001F469\u200D\U0001F467 \u2764\uFE0F5\u20E3") ==
        Parts{"\U0001F44D\U0001F3FD", "\U0001F469\u200D\U0001F467", "\u2764\uFE0F", "5\u20E3"});
  const std::string within = "One two three";
  CHECK(parts(within, words(within, {4, 13})) == Parts{"two", "three"});

  test::Random random(35);
  for (int run = 0; run < 2000; ++run) {
    const std::string text = sanitize_utf8(random_text(random));
    const Offsets offsets(text);
    size_t end = 0;
    for (const TextRange& word : words(text, {0, text.size()})) {
      REQUIRE(word.size() > 0);
      REQUIRE(offsets.has(word.begin));
      REQUIRE(offsets.has(word.end));
      require_blank(std::string_view(text).substr(end, word.begin - end));
      end = word.end;
    }
    require_blank(std::string_view(text).substr(end));
  }
}
