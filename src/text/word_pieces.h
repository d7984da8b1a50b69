#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/moses.h"
#include "text/text_range.h"

namespace dragoman {

/// A vocabulary of subword-nmt (Sennrich et al. 2016): words as Moses splits them, in pieces by byte pair encoding, of
/// which each but a word's last ends with "@@". Its file is text, written by scripts/conversion/word_pieces.py.
class WordPieces {
 public:
  /// Whether these bytes are such a file.
  static bool is_one(std::string_view file);
  /// Throws Error(kBadVocabulary).
  explicit WordPieces(std::string_view file);

  int size() const { return static_cast<int>(pieces_.size()); }
  int eos() const { return eos_; }
  int unknown() const { return unknown_; }
  const std::string& language() const { return language_; }
  /// Whether a piece stands for no text.
  bool is_silent(int id) const { return is_silent_[id]; }
  const std::string& piece(int id) const { return pieces_[id]; }
  /// As Tokenizer::encode.
  std::vector<int> encode(std::string_view text, std::vector<TextRange>* ranges) const;

 private:
  std::vector<std::string> split(std::string_view word) const;

  std::string language_;
  bool escaped_ = false;
  int eos_ = -1, unknown_ = -1;
  std::vector<std::string> pieces_;
  std::vector<bool> is_silent_;
  std::unordered_map<std::string, int> ids_;
  std::unordered_map<std::string, int> ranks_;  // of "a b", which become "ab": the lower the sooner
  NonbreakingPrefixes prefixes_;
};

/// Pieces as text, word by word: a word is written when it is whole.
class WordJoiner {
 public:
  explicit WordJoiner(const WordPieces& vocabulary) : vocabulary_(&vocabulary), moses_(vocabulary.language()) {}
  /// What a piece adds to the text.
  std::string next(int id);
  /// What is left at the end.
  std::string finish();

 private:
  const WordPieces* vocabulary_;
  MosesJoiner moses_;
  std::string word_;
};

}  // namespace dragoman
