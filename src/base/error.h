#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace dragoman {

/// What went wrong, for programs. `code_name` gives the spelling that JavaScript and the command line see.
enum class ErrorCode {
  kInvalidArgument,  // the caller asked for something that cannot be
  kBadConfig,        // config.json is malformed or describes a model we do not run
  kBadModel,         // model.safetensors is damaged, incomplete or of another shape
  kBadVocabulary,    // vocab.spm is damaged or does not fit the model
  kIo,               // a file cannot be read
};

const char* code_name(ErrorCode code);

/// The one exception of the project: a code for programs and a sentence for people.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

/// Throws Error with all `parts` written one after the other.
template <class... Parts>
[[noreturn]] void fail(ErrorCode code, const Parts&... parts) {
  std::ostringstream message;
  (message << ... << parts);
  throw Error(code, message.str());
}

/// Throws like `fail` unless `condition` holds.
template <class... Parts>
void require(bool condition, ErrorCode code, const Parts&... parts) {
  if (!condition) fail(code, parts...);
}

}  // namespace dragoman
