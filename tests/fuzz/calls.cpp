// What a caller may do with an engine, in any order.
#include "engine/engine.h"
#include "fuzz/support.h"
#include "text/unicode.h"

namespace dragoman::fuzz {
namespace {

constexpr size_t kMostTexts = 8, kMostBytes = 64;
constexpr int kHypotheses = 4;

Engine load(int threads) {
  static const std::string config = read_data("tiny-int8/config.json"), vocabulary = read_data("tiny-int8/vocab.spm");
  static const std::vector<std::byte> model = bytes_of(read_data("tiny-int8/model.safetensors"));
  return Engine({config, model, vocabulary}, {.max_hypotheses = kHypotheses, .threads = threads});
}

struct Text {
  std::string source;
  TranslateOptions options;
  std::shared_ptr<Translation> translation;
  std::string taken = {};
};

void start(Engine& engine, Choices& choices, std::vector<Text>& texts) {
  const size_t flags = choices.byte();
  TranslateOptions options = {
      .beam = static_cast<int>(flags % 8) - 1, .annotate = (flags & 8) != 0, .scores = (flags & 16) != 0};
  const std::string source(choices.take(choices.byte() % kMostBytes));
  const bool possible = 1 <= options.beam && options.beam <= kHypotheses;
  const bool started = tolerate({ErrorCode::kInvalidArgument}, [&] {
    texts.push_back({source, options, engine.start(source, options)});
  });
  expect(started == possible, "options that cannot be are refused, and no others");
}

void take(Text& text) {
  text.taken += text.translation->take_text();
  expect(sanitize_utf8(text.taken) == text.taken, "what is taken is valid UTF-8 at any time");
}

void check_done(const Text& text) {
  static Engine alone = load(3);
  const auto expected = alone.start(text.source, text.options);
  while (!expected->done()) alone.step();
  const Translation& translation = *text.translation;
  expect(text.taken == expected->take_text(), "a translation is the same beside others as alone, on several threads");
  expect(translation.tokens() == expected->tokens(), "so are its pieces");
  expect(translation.log_probability() == expected->log_probability(), "so is its score");
  expect(translation.alternatives() == expected->alternatives(), "so are its alternatives");
  expect(translation.annotated_source().pieces == expected->annotated_source().pieces, "so is its source, annotated");
  expect(translation.annotated_target().pieces == expected->annotated_target().pieces, "so is its target, annotated");
  expect(translation.sentences_done() == translation.sentences(), "all sentences are done");
}

}  // namespace

void calls(Input input) {
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
  for (Text& text : texts) {
    expect(text.translation->done(), "an engine without work has finished all texts");
    take(text);
    check_done(text);
  }
}

}  // namespace dragoman::fuzz
