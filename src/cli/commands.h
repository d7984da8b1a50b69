#pragma once

#include <iosfwd>
#include <string>

#include "engine/options.h"

namespace dragoman {

struct TranslateArguments {
  std::string model;  // folder
  EngineOptions engine;
  TranslateOptions options;
  std::string glossary = {};  // file; empty: none
  bool json = false;          // an object a line, with scores, instead of the bare translation
};

/// Reads a sentence, a tab and its translation from each line of `in`, and prints how probable that is: the logarithm,
/// or the same object. Throws Error.
void score_lines(const TranslateArguments& arguments, std::istream& in, std::ostream& out);

/// Translates `in` to `out`, a line in, a line out, in order. Throws Error.
void translate_lines(const TranslateArguments& arguments, std::istream& in, std::ostream& out);

/// Translates the sentences of `in`, one a line, with the whole vocabulary, and prints how often the likeliest piece is
/// not on the sentence's lexical shortlist. Throws Error.
void check_shortlist(const std::string& folder, std::istream& in, std::ostream& out);

/// Prints what the model computes on the sentences of `in`, one a line, with or without a tab and a translation behind
/// it, and the masks of a batch of them, as one JSON object. Throws Error.
void inspect_lines(const std::string& folder, std::istream& in, std::ostream& out);

/// Measures encoder and decoder of the model in `folder` and prints CSV. Throws Error.
void bench(const std::string& folder, std::ostream& out);

}  // namespace dragoman
