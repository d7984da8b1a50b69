#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/alignment.h"
#include "engine/forced_text.h"
#include "engine/glossary.h"
#include "engine/options.h"
#include "engine/scores.h"
#include "text/annotated_text.h"
#include "text/sentence_splitter.h"

namespace dragoman {

/// What may come next in a translation: the text behind its beginning up to the end of the word, and how probable that
/// is, six decimals. An empty text: nothing, this is the end.
struct NextWord {
  std::string text;
  double probability;
};

/// One sentence of a text on its way.
struct Sentence {
  TextRange source;         // bytes of the text
  std::string target = {};  // as far as it is known; only ever grows
  bool done = false;
  int tokens = 0;                              // target pieces so far
  std::vector<std::string> alternatives = {};  // what else the beam found, best first; empty until done
  // Ranges of the source and of the target, if the call asked for them.
  std::vector<TextRange> source_pieces = {}, target_pieces = {};
  Matrix attention = {};  // [target pieces, source pieces and eos], if the call asked for the alignment
  std::vector<float> head_attention = {};         // the same for each layer and head, if it asked for that
  std::vector<float> log_probabilities = {};      // of target pieces and eos, if the call asked for the scores
  std::shared_ptr<const ForcedText> forced = {};  // what it begins with, if the call says so
  std::vector<NextWord> next_words = {};          // see TranslateOptions::next_words
};

/// One text and its translation as it comes about. The blanks between sentences are kept as they are; sentences without
/// any letter (numbers, emoji) and data (see kMaxSentenceBytes) pass unchanged. Comes from Engine::start; let go of it
/// to cancel.
class Translation {
 public:
  /// text: any bytes; ill-formed UTF-8 is replaced by U+FFFD. language: of the text, BCP 47.
  Translation(std::string_view text, std::string_view language, const TranslateOptions& options);

  /// Text that became final since the last call: whole characters in the order of the text. All of them joined are the
  /// translation.
  std::string take_text();
  bool done() const { return sentences_done_ == sentences_.size(); }
  /// Target pieces so far.
  int tokens() const;
  /// Sum over all tokens of the sentences that are done; see TranslateOptions::scores.
  double log_probability() const;
  /// Other translations of a text that is one sentence, best first: one less than the beam is wide, or fewer.
  std::vector<std::string> alternatives() const;
  /// The text as it came, ill-formed as it may be, and its translation, when done(); sentence i of one has become
  /// sentence i of the other. Pieces only if TranslateOptions::annotate asked for them.
  AnnotatedText annotated_source() const;
  AnnotatedText annotated_target() const;
  /// What stands for what, when done(), of a text that was started with TranslateOptions::alignment; of what is written
  /// so far, if it was started with TranslateOptions::attention. A sentence that passed unchanged has no pieces, and
  /// each of its words stands for itself.
  Alignment alignment() const;
  /// Of sentence i, as far as it is written, the cross-attention of every layer and head: [L, H, T, S], the pieces
  /// being those of alignment(), eos behind the source's; that of the last piece may be to come: zeros. Empty without
  /// TranslateOptions::attention, if nothing is written yet, and if the sentence passed unchanged.
  const std::vector<float>& head_attention(size_t i) const { return sentences_[i].head_attention; }
  /// How sure the model was of its parts, when done(), of a text that was started with TranslateOptions::scores.
  Scores scores() const;
  /// Likeliest first; see TranslateOptions::next_words.
  const std::vector<NextWord>& next_words() const { return sentences_.front().next_words; }
  size_t sentences() const { return sentences_.size(); }
  size_t sentences_done() const { return sentences_done_; }

 private:
  friend class Engine;  // which makes and advances it

  const TranslateOptions& options() const { return options_; }
  const Glossary& glossary() const { return glossary_; }
  /// Index of the next sentence to translate, each given out once; sentences() if none is left.
  size_t next_sentence();
  Sentence& sentence(size_t i) { return sentences_[i]; }
  std::string_view source(size_t i) const;
  /// Cuts sentence i in two at half its length; false if it has a single character.
  bool halve(size_t i);
  /// Sentence i is its own translation.
  void pass(size_t i);
  void finish(size_t i);

  std::string text_;
  std::string as_it_came_;    // empty where that is no different, or nobody wants to know
  TranslateOptions options_;  // without the glossary's text
  Glossary glossary_;
  std::vector<Sentence> sentences_;
  size_t next_ = 0, sentences_done_ = 0;
  size_t taken_sentence_ = 0;  // whose text is being taken
  size_t taken_source_ = 0;    // bytes of text_ whose blanks or translation are taken
  size_t taken_target_ = 0;    // bytes of that sentence's target that are taken
};

}  // namespace dragoman
