#include "engine/options.h"

#include "base/error.h"

namespace dragoman {
namespace {

void check_range(const char* what, int value, int most) {
  require(1 <= value && value <= most, ErrorCode::kInvalidArgument, what, " is ", value, "; 1..", most, " are allowed");
}

void check(const Sampling& sampling) {
  require(0 <= sampling.temperature && sampling.temperature <= 100, ErrorCode::kInvalidArgument, "temperature is ",
          sampling.temperature, "; 0..100 are allowed");
  require(0 < sampling.top_p && sampling.top_p <= 1, ErrorCode::kInvalidArgument, "top_p is ", sampling.top_p,
          "; more than 0, at most 1 is allowed");
  require(sampling.top_k >= 0, ErrorCode::kInvalidArgument, "top_k is ", sampling.top_k, "; 0 or more is allowed");
  require(sampling.temperature > 0 || (sampling.top_k == 0 && sampling.top_p == 1), ErrorCode::kInvalidArgument,
          "top_k and top_p are for a temperature above 0");
}

}  // namespace

void check(const EngineOptions& options) {
  check_range("max_hypotheses", options.max_hypotheses, kMaxHypotheses);
  check_range("threads", options.threads, options.max_hypotheses);
}

void check(const TranslateOptions& options, const EngineOptions& engine) {
  check_range("beam", options.beam, engine.max_hypotheses);
  require(0 <= options.next_words && options.next_words <= options.beam, ErrorCode::kInvalidArgument, "next_words is ",
          options.next_words, "; 0..", options.beam, " are allowed: the beam");
  require(!options.whole || options.next_words == 0, ErrorCode::kInvalidArgument,
          "there is no next word where the prefix is the whole translation");
  check(options.sampling);
  const bool samples = options.sampling.temperature > 0, searches = options.next_words == 0 && !options.whole;
  require(!samples || (options.beam == 1 && searches && options.glossary.empty()), ErrorCode::kInvalidArgument,
          "a translation is drawn by chance, or searched for by a beam, a glossary or a given translation: not both");
  require(options.glossary.empty() || searches, ErrorCode::kInvalidArgument,
          "a glossary is for translations, not for next words or scores of what is given");
  require(options.glossary.empty() || engine.max_hypotheses > 1, ErrorCode::kInvalidArgument,
          "a glossary takes a beam, and this engine has room for one hypothesis");
}

}  // namespace dragoman
