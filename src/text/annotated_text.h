#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/text_range.h"

namespace dragoman {

/// A text and where in it the sentences lie, and the pieces that a model reads or writes. Whatever a text is made of:
/// - sentences ascend; between them, before and behind there are blanks or nothing;
/// - the pieces of a sentence tile it, as in Tokenizer::encode; it has none if there was nothing in it for a model to
/// read;
/// - all ranges end between characters, and an ill-formed sequence is one.
struct AnnotatedText {
  std::string text;
  std::vector<TextRange> sentences = {};
  std::vector<TextRange> pieces = {};     // of all sentences, one after the other
  std::vector<size_t> first_piece = {0};  // of each sentence, then the number of all

  /// Appends a sentence; its pieces are given as ranges of the sentence.
  void add(TextRange sentence, std::span<const TextRange> its_pieces);
  std::span<const TextRange> pieces_of(size_t sentence) const;
};

/// The first of a sentence's pieces that a word shares characters with, and one past the last. A piece without
/// characters is part of the one that begins there.
std::pair<size_t, size_t> pieces_of_word(TextRange word, std::span<const TextRange> pieces);

/// The words of a sentence (valid UTF-8), ascending, with blanks or nothing between them. A word is a run of letters,
/// marks and digits, together with what joins them: "don't", "well-known", "3.14", "example.org"; or one ideograph or
/// kana; or one symbol or punctuation mark.
std::vector<TextRange> words(std::string_view text, TextRange sentence);

}  // namespace dragoman
