#include "search/phrases.h"

#include <algorithm>
#include <bit>

namespace dragoman {

Phrases::Phrases(std::vector<Phrase> phrases, std::vector<bool> continues)
    : phrases_(std::move(phrases)), continues_(std::move(continues)), all_(~uint64_t{0} >> (kMost - phrases_.size())) {}

Progress Phrases::after(const Progress& before, int token) const {
  Progress now = before;
  now.ends_phrase = false;
  // What is begun goes on, or is given up, and then the token may begin another one.
  for (bool retry = true; retry;) {
    retry = now.length > 0;
    uint64_t fitting = 0;
    for (size_t i = 0; i < phrases_.size(); ++i)
      if (is_open(now, i) && written(now, i)[now.length] == token) fitting |= uint64_t{1} << i;
    const int length = now.length + 1;
    for (size_t i = 0; i < phrases_.size(); ++i) {
      if ((fitting >> i & 1) == 0 || static_cast<int>(written(now, i).size()) > length) continue;
      now.met |= uint64_t{1} << i;
      now.begun = 0;
      now.length = 0;
      now.at_start = false;
      now.ends_phrase = true;
      return now;
    }
    now.begun = fitting;
    now.length = fitting ? length : 0;
    if (fitting) return now;
    now.at_start = false;
  }
  return now;
}

int Phrases::tokens_met(const Progress& progress) const {
  size_t tokens = 0;
  for (size_t i = 0; i < phrases_.size(); ++i)
    if (progress.met >> i & 1) tokens += phrases_[i].tokens.size();
  // Written at the start a phrase may have more.
  if (progress.begun)
    tokens += std::min(static_cast<size_t>(progress.length), phrases_[std::countr_zero(progress.begun)].tokens.size());
  return static_cast<int>(tokens);
}

void PhraseRule::apply(const Hypothesis& hypothesis, const NextTokens& next) const {
  if (!phrases_->all_met(hypothesis.progress)) next.forbid(eos_);
  if (!hypothesis.progress.ends_phrase) return;
  for (size_t i = 0; i < next.logits.size(); ++i)
    if (phrases_->spoils(hypothesis.progress, next.token(i))) next.logits[i] = kForbidden;
}

}  // namespace dragoman
