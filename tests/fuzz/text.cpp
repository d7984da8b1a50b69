// Any bytes as a text.
#include "engine/engine.h"
#include "fuzz/support.h"
#include "text/annotated_text.h"
#include "text/capitals.h"
#include "text/sentence_splitter.h"
#include "text/tokenizer.h"
#include "text/unicode.h"

namespace dragoman::fuzz {
namespace {

using Ranges = std::span<const TextRange>;

constexpr size_t kMostTranslated = 60;  // bytes: translating takes far longer than anything else

bool is_blank_text(std::string_view text) {
  for (size_t at = 0; at < text.size();)
    if (!is_blank(next_code_point(text, at))) return false;
  return true;
}

void expect_tiling(Ranges ranges, TextRange whole) {
  size_t end = whole.begin;
  for (const TextRange& range : ranges) {
    expect(range.begin == end && range.begin <= range.end, "a range begins where the one before ends");
    end = range.end;
  }
  expect(end == whole.end, "the last range ends at the end");
}

// With blanks, or nothing, before, between and behind.
void expect_islands(std::string_view text, Ranges ranges, TextRange whole) {
  size_t end = whole.begin;
  for (const TextRange& range : ranges) {
    expect(end <= range.begin && range.begin < range.end && range.end <= whole.end, "ranges ascend");
    expect(is_blank_text(text.substr(end, range.begin - end)), "what is between is blank");
    end = range.end;
  }
  expect(is_blank_text(text.substr(end, whole.end - end)), "what is behind is blank");
}

void check_pieces(const Tokenizer& tokenizer, std::string_view sentence) {
  std::vector<TextRange> ranges;
  const std::vector<int> ids = tokenizer.encode(sentence, &ranges);
  expect(ids.size() == ranges.size(), "as many ranges as pieces");
  if (!ids.empty()) expect_tiling(ranges, {0, sentence.size()});
  Detokenizer written(tokenizer, true);
  for (const int id : ids) {
    const std::string before = written.text();
    written.append(id);
    expect(written.text().starts_with(before), "what is shown never changes");
    expect(sanitize_utf8(written.text()) == written.text(), "what is shown is valid UTF-8");
  }
  written.finish();
  expect(written.ranges().size() == ids.size(), "as many ranges as pieces");
  if (!ids.empty()) expect_tiling(written.ranges(), {0, written.text().size()});
}

void check_capitals(std::string_view sentence) {
  const std::string lower = lower_capitals(sentence), raised = raise_to_capitals(sentence);
  expect(lower.size() == sentence.size() && raised.size() == sentence.size(), "capitals take as many bytes");
  expect(sanitize_utf8(lower) == lower && sanitize_utf8(raised) == raised, "capitals are valid UTF-8");
}

void check_annotated(const AnnotatedText& annotated) {
  expect(annotated.first_piece.size() == annotated.sentences.size() + 1, "each sentence has its pieces");
  for (size_t i = 0; i < annotated.sentences.size(); ++i)
    if (const Ranges pieces = annotated.pieces_of(i); !pieces.empty()) expect_tiling(pieces, annotated.sentences[i]);
  std::vector<TextRange> units = annotated.pieces;
  to_utf16(annotated.text, units);
  for (size_t i = 0; i < units.size(); ++i)
    expect(units[i].begin <= units[i].end && units[i].size() <= annotated.pieces[i].size(), "no more units than bytes");
}

void check_translation(std::string_view text) {
  static Engine engine({read_data("tiny-int8/config.json"), bytes_of(read_data("tiny-int8/model.safetensors")),
                        read_data("tiny-int8/vocab.spm")});
  const auto translation = engine.start(text, {.annotate = true});
  std::string taken;
  for (bool more = true; !translation->done(); more = engine.step()) {
    expect(more, "an engine with work does some");
    taken += translation->take_text();
  }
  taken += translation->take_text();
  const AnnotatedText source = translation->annotated_source(), target = translation->annotated_target();
  expect(source.text == text, "the source is the text as it came");
  expect(target.text == taken && sanitize_utf8(taken) == taken, "the target is the translation");
  expect(source.sentences.size() == target.sentences.size(), "a sentence becomes a sentence");
  check_annotated(source);
  check_annotated(target);
}

}  // namespace

// The first byte chooses the language.
void text(Input input) {
  static const Tokenizer tokenizer(read_data("tiny-int8/vocab.spm"));
  static constexpr const char* kLanguages[] = {"en", "de", "fr-CH", ""};
  Choices choices(input);
  const std::string language = kLanguages[choices.byte() % std::size(kLanguages)];
  const std::string_view text = choices.take(input.size());

  const std::string clean = sanitize_utf8(text);
  expect(sanitize_utf8(clean) == clean, "valid UTF-8 stays as it is");
  const std::vector<TextRange> sentences = split_sentences(clean, language);
  expect_islands(clean, sentences, {0, clean.size()});
  for (const TextRange& range : sentences) {
    const std::string_view sentence = std::string_view(clean).substr(range.begin, range.size());
    expect_islands(clean, words(clean, range), range);
    check_capitals(sentence);
    if (range.size() <= kMaxSentenceBytes) {
      check_pieces(tokenizer, sentence);
      check_pieces(tokenizer, is_in_capitals(sentence) ? lower_capitals(sentence) : "");
    } else {
      expect(std::all_of(sentence.begin(), sentence.end(), [](char c) { return c > ' '; }), "only data is longer");
    }
  }
  std::vector<TextRange> as_they_came = sentences;
  to_unsanitized(text, as_they_came);
  for (const TextRange& range : as_they_came)
    expect(range.begin < range.end && range.end <= text.size(), "sentences lie within the text as it came");
  if (text.size() <= kMostTranslated) check_translation(text);
}

}  // namespace dragoman::fuzz
