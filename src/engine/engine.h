#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/thread_pool.h"
#include "engine/admission.h"
#include "engine/attention_record.h"
#include "engine/model_files.h"
#include "engine/options.h"
#include "engine/translation.h"
#include "model/inspection.h"
#include "model/transformer.h"
#include "search/beam.h"
#include "text/tokenizer.h"

namespace dragoman {

/// Translates any number of texts at once in one direction. The sentences of all of them share the rows of the decoder
/// (continuous batching): a finished sentence leaves its row to the next one, texts take turns. Each sentence's
/// translation is the same whatever is translated beside it, and on however many threads.
///
///   Engine engine(std::move(files));
///   auto translation = engine.start("How are you?");
///   while (engine.step()) std::cout << translation->take_text();
///   std::cout << translation->take_text();
class Engine {
 public:
  /// Throws Error(kBadConfig, kBadModel, kBadVocabulary, kInvalidArgument).
  explicit Engine(ModelFiles files, EngineOptions options = {});

  const Config& config() const { return model_.config(); }
  /// Splits the text into sentences and queues them; cheap beside translating it. Throws Error(kInvalidArgument).
  std::shared_ptr<Translation> start(std::string_view text, const TranslateOptions& options = {});
  /// One unit of work, some milliseconds: encodes waiting sentences or writes one token of every sentence in the
  /// decoder. False if nothing was left to do. When it throws (memory is short), let go of all translations in flight;
  /// those that begin then are fine.
  bool step();
  /// What the model computes on a sentence, the text as it is, and on its translation: the one that is given or else
  /// its own, greedily. Throws Error(kInvalidArgument) if they are too long.
  Inspection inspect(std::string_view text, std::optional<std::string_view> translation) const;

 private:
  struct Active {  // a sentence being written
    std::weak_ptr<Translation> owner;
    size_t sentence;
    bool in_capitals;
    std::shared_ptr<const ForcedText> forced;
    KvCache cross;
    std::vector<DecoderState> states;  // one for each of search.live(), and spare ones
    std::optional<Shortlist> shortlist;
    Beam search;
    Detokenizer text;
    std::optional<AttentionRecord> attention;  // if the call asked for the alignment
    size_t first_step_row = 0;                 // where search.live() begin in step_rows_
  };
  struct Waiting {  // a sentence about to be encoded
    std::weak_ptr<Translation> owner;
    size_t sentence;
    TranslateOptions options;
    bool in_capitals;
    std::shared_ptr<const ForcedText> forced;
    std::shared_ptr<const Phrases> phrases;
    int width;  // of the beam
    std::vector<int> ids;
    std::optional<Shortlist> shortlist;

    int limit(const Config& config) const;  // of tokens
  };

  const Tokenizer& target_tokenizer() const { return target_tokenizer_ ? *target_tokenizer_ : source_tokenizer_; }
  bool fetch_next();
  std::vector<int> read(Translation& owner, size_t sentence) const;
  static size_t bytes(const std::optional<Shortlist>& shortlist);
  Demand demand_of(const Waiting& sentence) const;
  std::vector<Waiting> take_batch();
  void force(Translation& translation) const;
  const std::vector<TokenKind>& kinds();
  std::shared_ptr<const Phrases> phrases_of(const Translation& owner, size_t sentence);
  LogitsRules rules_of(const Waiting& sentence);
  std::optional<Shortlist> shortlist_of(const Waiting& sentence) const;
  std::optional<AttentionRecord> attention_of(const Waiting& sentence) const;
  void encode(std::vector<Waiting> batch);
  void decode();
  void choose(Active& active, MatrixBlock logits);
  bool publish(Active& active);
  void annotate(const Active& active, Sentence& sentence) const;
  std::string shown(const Active& active, const std::string& written) const;
  std::string detokenized(const Hypothesis& hypothesis) const;
  std::vector<NextWord> next_words_of(const Active& active) const;

  EngineOptions options_;
  Tokenizer source_tokenizer_;
  std::optional<Tokenizer> target_tokenizer_;  // unless it is the same
  Transformer model_;
  ThreadPool threads_;
  std::deque<Workspace> work_;                    // one for each part of the work
  std::deque<std::weak_ptr<Translation>> queue_;  // texts with sentences left, whose turn is next in front
  std::optional<Waiting> next_;                   // taken from the queue, but there was no room yet
  std::vector<Active> active_;
  std::vector<DecoderRow> step_rows_;   // scratch of decode()
  std::vector<TokenKind> token_kinds_;  // of the target's pieces, once they are needed
};

}  // namespace dragoman
