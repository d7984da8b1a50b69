// What a caller may do with an engine, in any order.
#include "engine/engine.h"
#include "fuzz/support.h"
#include "text/sentence_splitter.h"
#include "text/unicode.h"

namespace dragoman::fuzz {
namespace {

constexpr size_t kMostTexts = 8, kMostBytes = 64;
constexpr int kHypotheses = 4;

using Load = Engine (*)(int threads);

Engine load(ModelFiles files, int threads) {
  return Engine(std::move(files), {.max_hypotheses = kHypotheses, .threads = threads});
}

Engine load_ours(int threads) {
  static const ModelFiles files = {read_data("tiny-int8/config.json"),
                                   bytes_of(read_data("tiny-int8/model.safetensors")),
                                   read_data("tiny-int8/vocab.spm")};
  return load(files, threads);
}

Engine load_marians(int threads) {
  static const ModelFiles files = marian_files();
  return load(files, threads);
}

struct Text {
  std::string source;
  TranslateOptions options;
  std::shared_ptr<Translation> translation;
  std::string taken = {};
};

// One of what a call may ask for beside a translation.
void constrain(Choices& choices, TranslateOptions& options) {
  const size_t what = choices.byte(), more = what / 4;
  const auto some_text = [&] { return std::string(choices.take(choices.byte() % kMostBytes)); };
  switch (what % 4) {
    case 0:
      options.prefix = some_text();
      options.whole = more % 2 != 0;
      break;
    case 1:
      options.prefix = some_text();
      options.next_words = static_cast<int>(more % 8) - 1;
      break;
    case 2:
      options.sampling.temperature = static_cast<float>(choices.byte()) / 64 - 0.5f;
      options.sampling.top_k = static_cast<int>(more % 8) - 1;
      options.sampling.top_p = static_cast<float>(choices.byte()) / 200;
      options.sampling.seed = static_cast<uint32_t>(more);
      break;
    case 3:
      options.glossary = some_text();
      break;
  }
}

// As options.h has it.
bool is_possible(const TranslateOptions& o) {
  const bool drawn = o.sampling.temperature > 0, filtered = o.sampling.top_k != 0 || o.sampling.top_p != 1;
  const bool given = o.whole || o.next_words > 0;
  return 1 <= o.beam && o.beam <= kHypotheses && 0 <= o.next_words && o.next_words <= o.beam &&
         !(o.whole && o.next_words > 0) && 0 <= o.sampling.temperature && 0 < o.sampling.top_p &&
         o.sampling.top_p <= 1 && o.sampling.top_k >= 0 && (drawn || !filtered) &&
         !(drawn && (o.beam > 1 || given || !o.glossary.empty())) && !(given && !o.glossary.empty());
}

void start(Engine& engine, Choices& choices, std::vector<Text>& texts) {
  const size_t flags = choices.byte();
  TranslateOptions options = {.beam = static_cast<int>(flags % 8) - 1,
                              .annotate = (flags & 8) != 0,
                              .alignment = (flags & 32) != 0,
                              .attention = (flags & 40) == 40,
                              .scores = (flags & 16) != 0};
  for (const size_t flag : {64, 128})
    if ((flags & flag) != 0) constrain(choices, options);
  const std::string source(choices.take(choices.byte() % kMostBytes));
  const bool started = tolerate({ErrorCode::kInvalidArgument}, [&] {
    texts.push_back({source, options, engine.start(source, options)});
  });
  // Whether a beginning or a glossary can be depends on the texts, too.
  const bool depends = options.is_forced() || !options.glossary.empty();
  expect(is_possible(options) ? started || depends : !started, "options that cannot be are refused, and no others");
}

void take(Text& text) {
  text.taken += text.translation->take_text();
  expect(sanitize_utf8(text.taken) == text.taken, "what is taken is valid UTF-8 at any time");
}

std::string_view trimmed(std::string_view text) {
  const TextRange visible = trim(text, {0, text.size()});
  return text.substr(visible.begin, visible.size());
}

void check_links(const LinkedParts& parts) {
  for (const Link& link : parts.links) {
    expect(link.source < parts.source.size() && link.target < parts.target.size(), "a link is between parts");
    expect(0 <= link.weight && link.weight <= 1, "a link's weight is a share");
  }
}

void check_next_words(const Text& text, const Translation& alone) {
  const auto &words = text.translation->next_words(), &same = alone.next_words();
  expect(words.size() <= static_cast<size_t>(text.options.next_words), "no more words than were asked for");
  expect(std::equal(
             words.begin(), words.end(), same.begin(), same.end(),
             [](const NextWord& a, const NextWord& b) { return a.text == b.text && a.probability == b.probability; }),
         "words that may come next are the same beside others as alone");
  double sum = 0, before = 1;
  for (const NextWord& word : words) {
    expect(0 <= word.probability && word.probability <= before, "the likeliest word comes first");
    sum += before = word.probability;
  }
  expect(sum < 1.001, "words together are no more than certain");
}

void check_scores(const Text& text) {
  const Scores scores = text.translation->scores();
  for (const ScoredParts* parts : {&scores.sentences, &scores.words, &scores.pieces}) {
    expect(parts->target.size() == parts->log_probabilities.size(), "each part has its score");
    for (const double score : parts->log_probabilities) expect(score <= 0, "nothing is more than certain");
  }
}

// What a call asked for beside a translation.
void check_options(const Text& text, const Translation& alone) {
  const TranslateOptions& options = text.options;
  const Translation& translation = *text.translation;
  const Alignment alignment = translation.alignment();
  for (const LinkedParts* parts : {&alignment.sentences, &alignment.words, &alignment.pieces}) check_links(*parts);
  for (size_t i = 0; i < translation.sentences(); ++i)
    expect(options.attention || translation.head_attention(i).empty(), "heads are shown to whoever asks");
  check_scores(text);
  if (options.next_words > 0) return check_next_words(text, alone);
  const std::string clean = sanitize_utf8(options.prefix);
  const std::string_view shown = trimmed(text.taken), given = trimmed(clean);
  expect(options.whole ? shown == given : shown.starts_with(given), "a translation begins as it was to begin");
}

void check_done(const Text& text, Engine& engine) {
  const auto expected = engine.start(text.source, text.options);
  while (!expected->done()) engine.step();
  const Translation& translation = *text.translation;
  expect(text.taken == expected->take_text(), "a translation is the same beside others as alone, on several threads");
  expect(translation.tokens() == expected->tokens(), "so are its pieces");
  expect(translation.log_probability() == expected->log_probability(), "so is its score");
  expect(translation.alternatives() == expected->alternatives(), "so are its alternatives");
  expect(translation.annotated_source().pieces == expected->annotated_source().pieces, "so is its source, annotated");
  expect(translation.annotated_target().pieces == expected->annotated_target().pieces, "so is its target, annotated");
  expect(translation.sentences_done() == translation.sentences(), "all sentences are done");
  check_options(text, *expected);
}

void call(Input input, Load load) {
  Engine engine = load(1);
  std::vector<Text> texts;
  for (Choices choices(input); !choices.empty();) {
    const size_t choice = choices.byte(), which = choice / 4;
    switch (choice % 4) {
      case 0:
        if (texts.size() < kMostTexts) start(engine, choices, texts);
        break;
      case 1:
        for (size_t i = 0; i < which; ++i) engine.step();
        break;
      case 2:
        if (!texts.empty()) take(texts[which % texts.size()]);
        break;
      case 3:  // cancelled
        if (!texts.empty()) texts.erase(texts.begin() + static_cast<std::ptrdiff_t>(which % texts.size()));
        break;
    }
  }
  while (engine.step()) continue;
  Engine alone = load(3);
  for (Text& text : texts) {
    expect(text.translation->done(), "an engine without work has finished all texts");
    take(text);
    check_done(text, alone);
  }
}

}  // namespace

void calls(Input input) { call(input, load_ours); }
void shortlist_calls(Input input) { call(input, load_marians); }

}  // namespace dragoman::fuzz
