#include "engine/options.h"

#include "base/error.h"

namespace dragoman {
namespace {

void check_range(const char* what, int value, int most) {
  require(1 <= value && value <= most, ErrorCode::kInvalidArgument, what, " is ", value, "; 1..", most, " are allowed");
}

}  // namespace

void check(const EngineOptions& options) {
  check_range("max_hypotheses", options.max_hypotheses, kMaxHypotheses);
  check_range("threads", options.threads, options.max_hypotheses);
}

void check(const TranslateOptions& options, const EngineOptions& engine) {
  check_range("beam", options.beam, engine.max_hypotheses);
}

}  // namespace dragoman
