#pragma once

#include <iosfwd>
#include <string>

namespace dragoman {

struct TranslateOptions {
  std::string model;  // folder
  int threads = 1;    // see EngineOptions
  bool json = false;  // an object a line instead of the bare translation
};

/// Translates `in` to `out`, a line in, a line out, in order. Throws Error.
void translate_lines(const TranslateOptions& options, std::istream& in, std::ostream& out);

/// Measures encoder and decoder of the model in `folder` and prints CSV. Throws Error.
void bench(const std::string& folder, std::ostream& out);

}  // namespace dragoman
