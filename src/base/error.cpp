#include "base/error.h"

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

}  // namespace dragoman
