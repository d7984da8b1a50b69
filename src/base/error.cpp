#include "base/error.h"

#include <sstream>

namespace dragoman {

const char* code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "invalid-argument";
    case ErrorCode::kBadConfig:
      return "bad-config";
    case ErrorCode::kBadModel:
      return "bad-model";
    case ErrorCode::kBadVocabulary:
      return "bad-vocabulary";
    case ErrorCode::kIo:
      return "io";
  }
  return "unknown";
}

void MessagePart::write(std::ostream& message) const {
  std::visit([&](auto part) { message << part; }, part_);
}

void fail(ErrorCode code, std::initializer_list<MessagePart> parts) {
  std::ostringstream message;
  for (const MessagePart& part : parts) part.write(message);
  throw Error(code, message.str());
}

}  // namespace dragoman
