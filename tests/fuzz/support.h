#pragma once

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "engine/model_files.h"
#include "fuzz/targets.h"

namespace dragoman::fuzz {

inline void expect(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

inline std::string_view view(Input input) { return {reinterpret_cast<const char*>(input.data()), input.size()}; }

inline std::string read_data(const std::string& name) {
  std::ifstream file(DRAGOMAN_SOURCE_DIR "/tests/data/" + name, std::ios::binary);
  expect(file.good(), "a file of tests/data is missing");
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

/// A model folder of Marian's: SSRU, two vocabularies, a shortlist.
inline ModelFiles marian_files() {
  return {R"({"source_language": "en", "target_language": "de"})",
          bytes_of(read_data("tiny-marian/model.ende.intgemm.alphas.bin")), read_data("tiny-ssru/source.spm"),
          read_data("tiny-ssru/target.spm"), bytes_of(read_data("tiny-marian/lex.ende.s2t.bin"))};
}

/// Runs what bad input may make fail in one of these ways, and in no other; true if it did not fail. Not inlined: in
/// loops Emscripten's clang 14 then takes what follows a catch for unreachable.
template <class Work>
[[gnu::noinline]] bool tolerate(std::initializer_list<ErrorCode> codes, const Work& work) {
  try {
    work();
    return true;
  } catch (const Error& error) {
    if (std::find(codes.begin(), codes.end(), error.code()) == codes.end()) throw;
    return false;
  }
}

/// Choices, taken from an input byte by byte; zeros when it is used up.
class Choices {
 public:
  explicit Choices(Input input) : rest_(input) {}
  bool empty() const { return rest_.empty(); }
  size_t byte() { return number(1); }
  size_t number(int bytes) {
    size_t n = 0;
    for (const char c : take(bytes)) n = n << 8 | static_cast<unsigned char>(c);
    return n;
  }
  /// The next bytes, fewer if there are fewer.
  std::string_view take(size_t bytes) {
    const Input taken = rest_.first(std::min(bytes, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    return view(taken);
  }

 private:
  Input rest_;
};

}  // namespace dragoman::fuzz
