#include <catch2/catch.hpp>

#include "base/error.h"
#include "support.h"
#include "text/capitals.h"
#include "text/sentence_splitter.h"
#include "text/tokenizer.h"
#include "text/unicode.h"

using namespace dragoman;

namespace {

std::vector<std::string> sentences(const std::string& text, const std::string& language = "en") {
  std::vector<std::string> parts;
  for (TextRange range : split_sentences(text, language)) parts.push_back(text.substr(range.begin, range.size()));
  return parts;
}

using Parts = std::vector<std::string>;

}  // namespace

TEST_CASE("ill-formed UTF-8 becomes U+FFFD, one per maximal subpart", "[text]") {
  const std::string bad = "\xEF\xBF\xBD";
  CHECK(sanitize_utf8("") == "");
  CHECK(sanitize_utf8("Gr\xC3\xBC\xC3\x9F \xF0\x9F\x99\x82") == "Gr\xC3\xBC\xC3\x9F \xF0\x9F\x99\x82");
  CHECK(sanitize_utf8("a\xFFz") == "a" + bad + "z");
  CHECK(sanitize_utf8("\xC3") == bad);
  CHECK(sanitize_utf8("\xE2\x82") == bad);                            // cut off: one
  CHECK(sanitize_utf8("\xC0\xAF") == bad + bad);                      // overlong
  CHECK(sanitize_utf8("\xED\xA0\x80") == bad + bad + bad);            // a surrogate
  CHECK(sanitize_utf8("\xF4\x90\x80\x80") == bad + bad + bad + bad);  // past U+10FFFF
  CHECK(sanitize_utf8("\xF0\x9F\x99z") == bad + "z");
  CHECK(sanitize_utf8(std::string("a\0b", 3)) == std::string("a\0b", 3));
}

TEST_CASE("complete_prefix ends between characters", "[text]") {
  CHECK(complete_prefix("") == 0);
  CHECK(complete_prefix("ab") == 2);
  CHECK(complete_prefix("a\xC3") == 1);
  CHECK(complete_prefix("a\xC3\xBC") == 3);
  CHECK(complete_prefix("\xF0\x9F\x99") == 0);
  CHECK(complete_prefix("\xF0\x9F\x99\x82") == 4);
}

TEST_CASE("sentences end where they should", "[text]") {
  CHECK(sentences("") == Parts{});
  CHECK(sentences(" \n\t ") == Parts{});
  CHECK(sentences("One. Two! Three? Four") == Parts{"One.", "Two!", "Three?", "Four"});
  CHECK(sentences("He said \"No.\" She left.") == Parts{"He said \"No.\"", "She left."});
  CHECK(sentences("Wait... what? Yes.") == Parts{"Wait... what?", "Yes."});
  CHECK(sentences("Title\n\nText here.\r\nMore") == Parts{"Title", "Text here.", "More"});
  CHECK(sentences("Dr. Smith met J. R. Brown at 5 p.m. on Monday.") ==
        Parts{"Dr. Smith met J. R. Brown at 5 p.m. on Monday."});
  CHECK(sentences("No. That is wrong.") == Parts{"No.", "That is wrong."});
  CHECK(sentences("See No. 5 on p. 7. It is there. ") == Parts{"See No. 5 on p. 7.", "It is there."});
  CHECK(sentences("He came. (She left.) [Both did.]") == Parts{"He came.", "(She left.)", "[Both did.]"});
  CHECK(sentences("End.\u00A0") == Parts{"End."});
  CHECK(sentences("Das ist seine Art. Nach Art. 5 auch.", "de") == Parts{"Das ist seine Art.", "Nach Art. 5 auch."});
  CHECK(sentences("Version 3.14 is out. See example.com for more.") ==
        Parts{"Version 3.14 is out.", "See example.com for more."});
  CHECK(sentences("Am 3. Oktober, z. B. in Berlin. Danach nicht.", "de") ==
        Parts{"Am 3. Oktober, z. B. in Berlin.", "Danach nicht."});
  CHECK(sentences("Das war 2019. Heute nicht.", "de-AT") == Parts{"Das war 2019.", "Heute nicht."});
  CHECK(sentences("\xE4\xBB\x8A\xE5\xA4\xA9\xE3\x80\x82\xE6\x98\x8E\xE5\xA4\xA9\xE3\x80\x82") ==
        Parts{"\xE4\xBB\x8A\xE5\xA4\xA9\xE3\x80\x82", "\xE6\x98\x8E\xE5\xA4\xA9\xE3\x80\x82"});
}

TEST_CASE("abbreviations are those of the language, and what is international where there are none", "[text]") {
  CHECK(sentences("Ask Mrs. Jones. See Nos. 3 and 4.", "en-GB") == Parts{"Ask Mrs. Jones.", "See Nos. 3 and 4."});
  CHECK(sentences("Die Firma, vgl. Kap. 3, ist bzw. Das war.", "de") ==
        Parts{"Die Firma, vgl. Kap. 3, ist bzw. Das war."});
  CHECK(sentences("They left at 3. Nobody saw vgl. Anything.", "en") ==
        Parts{"They left at 3.", "Nobody saw vgl.", "Anything."});
  for (const std::string language : {"fr", "ru-Latn", "del", "", "-"}) {
    CHECK(sentences("M. Dupont et Dr. Martin. Voir Fig. 5.", language) ==
          Parts{"M. Dupont et Dr. Martin.", "Voir Fig. 5."});
    CHECK(sentences("Il est venu le 3. Rev. Oui. Mio. Non.", language) ==
          Parts{"Il est venu le 3.", "Rev.", "Oui.", "Mio.", "Non."});
  }
}

TEST_CASE("stretches without an end are cut at clauses, else blanks, else characters, and nothing is lost", "[text]") {
  std::string clauses, words, umlauts;
  for (int i = 0; i < 400; ++i) {
    clauses += i % 9 == 8 ? "word, " : "word ";
    words += "word ";
    umlauts += "\xC3\xBC";
  }
  for (const std::string& text : {clauses, words, umlauts}) {
    const auto parts = sentences(text);
    CHECK(parts.size() > 1);
    std::string joined;
    for (const std::string& part : parts) {
      CHECK(part.size() <= kMaxSentenceBytes);
      CHECK(sanitize_utf8(part) == part);
      joined += part;
    }
    std::string expected;
    for (char c : text) expected += c == ' ' ? "" : std::string(1, c);
    std::string squeezed;
    for (char c : joined) squeezed += c == ' ' ? "" : std::string(1, c);
    CHECK(squeezed == expected);
  }
  for (const std::string& part : sentences(clauses)) CHECK((part.back() == ',' || part == sentences(clauses).back()));
}

TEST_CASE("a word of ASCII too long to be one is a sentence of its own, whole", "[text]") {
  const std::string data(5000, 'x'), most(kMaxSentenceBytes, 'y');
  CHECK(sentences(data) == Parts{data});
  CHECK(sentences("The key " + data + " is long. Is it?") == Parts{"The key", data, "is long.", "Is it?"});
  CHECK(sentences(data + " " + data) == Parts{data, data});
  CHECK(sentences(most + " " + most) == Parts{most, most});
}

TEST_CASE("letters, blanks and lower case", "[text]") {
  CHECK(is_letter(U'a'));
  CHECK(is_letter(U'\u00DF'));
  CHECK(is_letter(U'\u4E2D'));
  CHECK_FALSE(is_letter(U'7'));
  CHECK_FALSE(is_letter(U'\u2026'));
  CHECK_FALSE(is_letter(U'\U0001F642'));
  CHECK(is_blank(0));
  CHECK(is_blank(U'\u00A0'));
  CHECK_FALSE(is_blank(U'.'));
  CHECK(is_lower(U'\u00FC'));
  CHECK_FALSE(is_lower(U'\u00DC'));
}

TEST_CASE("a vocabulary that is none is an error", "[text]") {
  REQUIRE_THROWS_AS(Tokenizer(""), Error);
  REQUIRE_THROWS_AS(Tokenizer("not a SentencePiece model"), Error);
  const std::string good = test::read_text(test::data("tiny-f16/vocab.spm"));
  REQUIRE_THROWS_AS(Tokenizer(std::string_view(good).substr(0, good.size() / 2)), Error);
}

TEST_CASE("text that has been shown stays, and is valid UTF-8 at any time", "[text]") {
  const Tokenizer tokenizer(test::read_text(test::data("tiny-f16/vocab.spm")));
  test::Random random(11);
  for (int run = 0; run < 50; ++run) {
    Detokenizer text(tokenizer);
    std::string shown;
    for (int i = 0; i < 60; ++i) {
      // Often byte pieces: 2..257 in a vocabulary with byte fallback.
      text.append(random.integer(0, 1) ? random.integer(2, 257) : random.integer(0, tokenizer.size() - 1));
      REQUIRE(text.text().compare(0, shown.size(), shown) == 0);
      shown = text.text();
      REQUIRE(sanitize_utf8(shown) == shown);
    }
  }
}

TEST_CASE("sentences in capitals are told from names, lowered and raised", "[text]") {
  CHECK(is_in_capitals("PLEASE CLOSE THE DOOR!"));
  CHECK(is_in_capitals("BITTE TÜR SCHLIESSEN"));
  for (const std::string text :
       {"", " ", "NASA, ESA", "CONSTANTINOPLE", "Please CLOSE THE DOOR", "STRAßE NACH BERLIN", "1234 5678 9012",
        "\xE4\xBD\xA0\xE5\xA5\xBD \xE4\xBD\xA0\xE5\xA5\xBD \xE4\xBD\xA0\xE5\xA5\xBD"})
    CHECK_FALSE(is_in_capitals(text));
  CHECK(lower_capitals("\"ÄPFEL × ÖL\", SAGTE Ñ.") == "\"Äpfel × öl\", sagte ñ.");
  CHECK(raise_to_capitals("Äpfel ÷ straße ñ 5") == "ÄPFEL ÷ STRASSE Ñ 5");
  CHECK(lower_capitals("") == "");
  CHECK(raise_to_capitals("") == "");
}
