#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

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

/// Part of a message: it lives until the end of the expression that makes it.
class MessagePart {
 public:
  template <std::convertible_to<std::string_view> Text>
  MessagePart(const Text& text) : part_(std::string_view(text)) {}
  MessagePart(char letter) : part_(letter) {}
  MessagePart(std::signed_integral auto number) : part_(static_cast<std::int64_t>(number)) {}
  MessagePart(std::unsigned_integral auto number) : part_(static_cast<std::uint64_t>(number)) {}
  MessagePart(std::floating_point auto number) : part_(static_cast<double>(number)) {}

  void write(std::ostream& message) const;

 private:
  std::variant<std::string_view, char, std::int64_t, std::uint64_t, double> part_;
};

/// Throws Error with all `parts` written one after the other.
[[noreturn]] void fail(ErrorCode code, std::initializer_list<MessagePart> parts);

template <class... Parts>
[[noreturn]] void fail(ErrorCode code, const Parts&... parts) {
  fail(code, {MessagePart(parts)...});
}

/// Throws like `fail` unless `condition` holds. The message is made in one place, not in each that calls: what is left
/// there is little to download.
template <class... Parts>
void require(bool condition, ErrorCode code, const Parts&... parts) {
  if (!condition) fail(code, {MessagePart(parts)...});
}

}  // namespace dragoman
