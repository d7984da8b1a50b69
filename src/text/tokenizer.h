#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace dragoman {

/// Pieces of text and their ids, by SentencePiece (Kudo and Richardson 2018).
class Tokenizer {
 public:
  /// vocabulary: the bytes of vocab.spm. Throws Error(kBadVocabulary).
  explicit Tokenizer(std::string_view vocabulary);
  ~Tokenizer();

  int size() const;
  /// Ids of valid UTF-8 `text`, without eos.
  std::vector<int> encode(std::string_view text) const;

 private:
  friend class Detokenizer;
  std::unique_ptr<sentencepiece::SentencePieceProcessor> processor_;
};

/// Turns ids into text as they come: what `text()` has shown never changes, and it is valid UTF-8 at any time.
/// The whole equals SentencePiece's Decode, but that control characters become blanks.
class Detokenizer {
 public:
  explicit Detokenizer(const Tokenizer& tokenizer) : tokenizer_(&tokenizer) {}
  void append(int id);
  /// Call after the last id: a character that was cut off becomes U+FFFD.
  void finish();
  const std::string& text() const { return text_; }

 private:
  void add(std::string_view text);

  const Tokenizer* tokenizer_;
  std::string text_;
  std::string bytes_;  // byte pieces that do not make up a character yet
  bool at_start_ = true;
};

}  // namespace dragoman
