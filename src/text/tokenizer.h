#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/text_range.h"
#include "text/word_pieces.h"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace dragoman {

/// Pieces of text and their ids, by SentencePiece (Kudo and Richardson 2018) or as subword-nmt makes them.
class Tokenizer {
 public:
  /// vocabulary: the bytes of vocab.spm, a SentencePiece model or a file of WordPieces. Throws Error(kBadVocabulary).
  explicit Tokenizer(std::string_view vocabulary);
  ~Tokenizer();

  int size() const;
  /// The piece that ends a sentence, and the one for what no other is made for; -1: there is none.
  int eos() const;
  int unknown() const;
  /// Ids of valid UTF-8 `text`, without eos. ranges, if given, receives which bytes of `text` each is made of. They
  /// tile it: the first begins at 0, each where the one before ends, the last ends at the end; blanks belong to what
  /// follows them. A piece may be empty: a character that takes several (bytes; a ligature, normalised) belongs to the
  /// last.
  std::vector<int> encode(std::string_view text, std::vector<TextRange>* ranges = nullptr) const;
  /// As the vocabulary spells it.
  std::string piece(int id) const;
  /// What a piece writes in the midst of a text; nothing if it is none of those that stand for characters alone.
  std::string text_of(int id) const;
  /// Whether pieces have such texts: those of subword-nmt are joined by rules.
  bool has_texts() const { return !words_; }

 private:
  friend class Detokenizer;
  std::unique_ptr<sentencepiece::SentencePieceProcessor> processor_;
  std::unique_ptr<const WordPieces> words_;  // or these
};

/// Turns ids into text as they come: what `text()` has shown never changes, and it is valid UTF-8 at any time.
/// The whole equals SentencePiece's Decode, but that control characters become blanks.
class Detokenizer {
 public:
  /// annotate: keep ranges().
  explicit Detokenizer(const Tokenizer& tokenizer, bool annotate = false);
  void append(int id);
  /// Call after the last id: a character that was cut off becomes U+FFFD.
  void finish();
  const std::string& text() const { return text_; }
  /// Which bytes of text() each id has written; they tile it, as those of Tokenizer::encode do.
  const std::vector<TextRange>& ranges() const { return ranges_; }

 private:
  void add(std::string_view text);

  const Tokenizer* tokenizer_;
  std::string text_;
  std::string bytes_;  // byte pieces that do not make up a character yet
  std::optional<WordJoiner> words_;
  bool at_start_ = true, annotate_;
  std::vector<TextRange> ranges_;
};

}  // namespace dragoman
