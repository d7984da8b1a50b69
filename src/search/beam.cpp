#include "search/beam.h"

#include <algorithm>

#include "kernels/argmax.h"
#include "kernels/softmax.h"

namespace dragoman {
namespace {

// Indices of the `count` largest of x, largest first.
std::vector<int> largest(std::span<const float> x, int count) {
  std::vector<int> best;
  for (int i = 0; i < static_cast<int>(x.size()); ++i) {
    if (static_cast<int>(best.size()) == count) {
      if (!(x[i] > x[best.back()])) continue;
      best.pop_back();
    }
    const auto above = [&](int j) { return x[j] >= x[i]; };
    best.insert(std::partition_point(best.begin(), best.end(), above), i);
  }
  return best;
}

// Log-probability per token of a finished hypothesis.
float score(const Hypothesis& hypothesis) {
  return hypothesis.log_probability / static_cast<float>(hypothesis.tokens.size() + 1);
}

// Puts x into a sorted list, behind its equals.
template <class T, class Before>
void insert(std::vector<T>& sorted, T x, Before before) {
  const auto at = std::upper_bound(sorted.begin(), sorted.end(), x, before);
  sorted.insert(at, std::move(x));
}

}  // namespace

Beam::Beam(int width, SearchOptions options, LogitsRules rules)
    : width_(width), options_(options), rules_(std::move(rules)) {
  if (width_ == 1) live_.front().tokens.reserve(options_.limit);
}

void Beam::extend(MatrixBlock logits, std::span<const int> tokens) {
  candidates_.clear();
  for (int i = 0; i < static_cast<int>(live_.size()); ++i) {
    const NextTokens next = {{logits.row(i).data(), static_cast<size_t>(logits.cols())}, tokens};
    const bool scored = width_ > 1 || options_.score;
    const float normaliser = scored ? log_sum_exp(next.logits.data(), static_cast<int>(logits.cols())) : 0;
    for (const auto& rule : rules_) rule->apply(live_[i], next);
    if (width_ == 1) return take_likeliest(next, normaliser);
    collect(i, next, normaliser);
  }
  if (candidates_.empty()) {
    finished_ = true;
  } else {
    advance();
    finished_ = live_.empty() || static_cast<int>(live_.front().tokens.size()) >= options_.limit || cannot_improve();
  }
  settle();
}

// Greedy search's step.
void Beam::take_likeliest(const NextTokens& next, float normaliser) {
  Hypothesis& hypothesis = live_.front();
  const int best = argmax(next.logits.data(), static_cast<int>(next.logits.size())), token = next.token(best);
  const bool forbidden = next.logits[best] == kForbidden, ends = forbidden || token == options_.eos;
  if (options_.score && !forbidden) hypothesis.log_probability += next.logits[best] - normaliser;
  if (!ends) hypothesis.tokens.push_back(token);
  hypothesis.ended = ends && !forbidden;
  settled_ = static_cast<int>(hypothesis.tokens.size());
  finished_ = ends || settled_ >= options_.limit;
}

// The likeliest extensions of a live hypothesis: twice the width, so that enough of them are left beside eos.
void Beam::collect(int parent, const NextTokens& next, float normaliser) {
  const auto likelier = [](const Candidate& a, const Candidate& b) { return a.log_probability > b.log_probability; };
  for (const int best : largest(next.logits, 2 * width_)) {
    if (next.logits[best] == kForbidden) break;
    const float log_probability = live_[parent].log_probability + next.logits[best] - normaliser;
    insert(candidates_, {parent, next.token(best), log_probability}, likelier);
  }
}

// Of the candidates, likeliest first, those that end are done and the others live on, as far as there is room.
void Beam::advance() {
  std::vector<Hypothesis> next;
  parents_.clear();
  for (const Candidate& candidate : std::span(candidates_).first(std::min<size_t>(candidates_.size(), 2 * width_))) {
    const bool ends = candidate.token == options_.eos;
    Hypothesis hypothesis{live_[candidate.parent].tokens, candidate.log_probability, candidate.parent, ends};
    if (ends) {
      insert(done_, std::move(hypothesis), [](const auto& a, const auto& b) { return score(a) > score(b); });
    } else if (static_cast<int>(next.size()) < width_) {
      hypothesis.tokens.push_back(candidate.token);
      next.push_back(std::move(hypothesis));
      parents_.push_back(candidate.parent);
    }
  }
  live_ = std::move(next);
  if (done_.size() > static_cast<size_t>(width_)) done_.resize(width_);
}

// Whether there is a full beam of finished hypotheses whose best beats the likeliest live one, if that ended now. One
// that goes on loses probability, so few would come back.
bool Beam::cannot_improve() const {
  return done_.size() == static_cast<size_t>(width_) && score(done_.front()) >= score(live_.front());
}

// Moves settled_ on over the tokens that all hypotheses share.
void Beam::settle() {
  const auto& tokens = best().tokens;
  const auto shares = [&](const Hypothesis& other) {
    const size_t at = settled_;
    return at < other.tokens.size() && other.tokens[at] == tokens[at];
  };
  while (settled_ < static_cast<int>(tokens.size()) && (finished_ || (std::all_of(live_.begin(), live_.end(), shares) &&
                                                                      std::all_of(done_.begin(), done_.end(), shares))))
    ++settled_;
}

}  // namespace dragoman
